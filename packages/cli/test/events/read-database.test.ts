import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdFrame } from '@loopwatch/testkit';
import Database from 'libsql';
import { afterAll, expect, it } from 'vitest';
import { RecordReader } from '../../src/events/read-records.ts';

const folder = mkdtempSync(join(tmpdir(), 'databases-'));
afterAll(() => rmSync(folder, { recursive: true }));
let made = 0;

/** A database with a write-ahead log, which its writer still has open. */
function databaseOf(...statements: readonly string[]) {
  const file = join(folder, `${String((made += 1))}.db`);
  const database = new Database(file);
  database.exec('pragma journal_mode = wal');
  for (const statement of statements) database.exec(statement);
  return { file, database };
}

async function outline(file: string) {
  const events: unknown[] = [];
  for await (const batch of new RecordReader('auto').read(file))
    for (const record of batch) {
      expect(record.faults).toEqual([]);
      for (const event of record.events) {
        const { type, sessionId, parentSessionId, name, args, result, text } = event as never;
        events.push({ type, sessionId, parentSessionId, name, args, result, text });
      }
    }
  return events;
}

const quoted = (value: object) => `'${JSON.stringify(value)}'`;

/** Tables of anomalyco/opencode `packages/opencode/src/session/session.sql.ts`. */
const opencode = [
  `create table session (id text primary key, project_id text, parent_id text, directory text, title text, time_created integer)`,
  `create table message (id text primary key, session_id text, time_created integer, data text)`,
  `create table part (id text primary key, message_id text, session_id text, data text)`,
  `insert into session values ('ses_2', 'p', 'ses_1', '/w', 'sub', 2), ('ses_1', 'p', null, '/w', 'main', 1)`,
  `insert into message values ('msg_2', 'ses_1', 20, ${quoted({ role: 'assistant', time: { created: 20 }, modelID: 'm' })}),
    ('msg_1', 'ses_1', 10, ${quoted({ role: 'user', time: { created: 10 } })}),
    ('msg_3', 'ses_2', 30, ${quoted({ role: 'assistant', time: { created: 30 } })})`,
  `insert into part values ('prt_1', 'msg_1', 'ses_1', ${quoted({ type: 'text', text: 'Look' })}),
    ('prt_3', 'msg_2', 'ses_1', ${quoted({ type: 'tool', callID: 'c', tool: 'bash', state: { status: 'error', input: { command: 'ls' }, error: 'no' } })}),
    ('prt_2', 'msg_2', 'ses_1', ${quoted({ type: 'step-start' })}),
    ('prt_4', 'msg_3', 'ses_2', ${quoted({ type: 'text', text: 'Done' })})`,
];

it('reads the sessions of opencode in order, while it writes them', async () => {
  const { file, database } = databaseOf(...opencode);
  const files = readdirSync(folder);
  expect(await outline(file)).toMatchObject([
    { type: 'prompt_started', sessionId: 'ses_1', text: 'Look' },
    { type: 'turn_started', sessionId: 'ses_1' },
    { type: 'tool_call_request', name: 'bash', args: { command: 'ls' } },
    { type: 'tool_result', result: 'no' },
    { type: 'content', sessionId: 'ses_2', parentSessionId: 'ses_1', text: 'Done' },
  ]);
  database.exec(
    `insert into part values ('prt_5', 'msg_3', 'ses_2', ${quoted({ type: 'text', text: 'More' })})`,
  );
  expect(await outline(file)).toHaveLength(6);
  expect(readdirSync(folder)).toEqual(files);
});

const call = (status: string, more: object) => ({
  type: 'tool',
  id: `c-${status}`,
  name: 'bash',
  state: { status, input: { command: 'ls' }, ...more },
  time: { created: 21, ran: 22, completed: 23 },
});

/** Tables of anomalyco/opencode `packages/core/src/session/sql.ts`, messages of `packages/schema/src/session-message.ts`. */
const opencode2 = [
  `create table session_v2 (id text primary key, project_id text, parent_id text, directory text, time_created integer)`,
  `create table session_message (id text primary key, session_id text, type text, seq integer, time_created integer, data text)`,
  `insert into session_v2 values ('ses_3', 'p', 'ses_1', '/w', 3), ('ses_1', 'p', null, '/w', 1), ('ses_2', 'p', 'ses_1', '/w', 2)`,
  `insert into session_message values
    ('msg_b', 'ses_1', 'assistant', 3, 20, ${quoted({
      agent: 'build',
      model: { id: 'm', providerID: 'p' },
      time: { created: 20, completed: 24 },
      content: [
        { type: 'reasoning', text: 'Hm' },
        { type: 'text', text: 'I look.' },
        call('completed', { content: [{ type: 'text', text: 'a.txt' }] }),
        call('error', { error: { type: 'unknown', message: 'no' } }),
        call('streaming', { input: '{"com' }),
      ],
      cost: 0.02,
      tokens: { input: 1, output: 2, reasoning: 4, cache: { read: 30, write: 400 } },
    })}),
    ('msg_a', 'ses_1', 'user', 1, 10, ${quoted({ text: 'List', time: { created: 10 } })}),
    ('msg_s', 'ses_1', 'synthetic', 2, 11, ${quoted({ text: 'reminder', time: { created: 11 } })}),
    ('msg_c', 'ses_3', 'assistant', 1, 30, ${quoted({ agent: 'build', model: { id: 'm' }, time: { created: 30 }, content: [{ type: 'text', text: 'Sub' }] })})`,
];
const newSessions = [
  { type: 'prompt_started', sessionId: 'ses_1', text: 'List' },
  { type: 'turn_started' },
  { type: 'thought', text: 'Hm' },
  { type: 'content', text: 'I look.' },
  { type: 'tool_call_request', name: 'bash', args: { command: 'ls' } },
  { type: 'tool_result', result: 'a.txt' },
  { type: 'tool_call_request', name: 'bash', args: { command: 'ls' } },
  { type: 'tool_result', result: 'no' },
  { type: 'turn_finished', sessionId: 'ses_1' },
  { type: 'turn_started', sessionId: 'ses_3', parentSessionId: 'ses_1' },
  { type: 'content', text: 'Sub' },
];

it('reads the sessions of opencode 2, and those of opencode 1 that it kept', async () => {
  expect(await outline(databaseOf(...opencode2).file)).toMatchObject(newSessions);
  expect(await outline(databaseOf(...opencode, ...opencode2).file)).toMatchObject([
    ...newSessions,
    { type: 'content', sessionId: 'ses_2', parentSessionId: 'ses_1', text: 'Done' },
  ]);
});

/** Tables of block/goose `crates/goose/src/session/session_manager.rs`. */
const goose = [
  `create table sessions (id text primary key, working_dir text, created_at timestamp)`,
  `create table messages (id integer primary key autoincrement, session_id text, role text, content_json text,
    created_timestamp integer, metadata_json text)`,
  `insert into sessions values ('20261101_1', '/w', '2026-11-01 10:00:00')`,
  `insert into messages (session_id, role, content_json, created_timestamp) values
    ('20261101_1', 'user', ${quoted([{ type: 'text', text: 'Look' }])}, 1790000000),
    ('20261101_1', 'assistant', ${quoted([{ type: 'toolRequest', id: 'c', toolCall: { status: 'success', value: { name: 'shell', arguments: { command: 'ls' } } } }])}, 1790000001),
    ('20261101_1', 'user', ${quoted([{ type: 'toolResponse', id: 'c', toolResult: { status: 'error', error: 'no' } }])}, 1790000002)`,
];

/** Tables of NousResearch/hermes-agent `hermes_state.py`. */
const hermes = [
  `create table sessions (id text primary key, source text, model text, parent_session_id text, started_at real)`,
  `create table messages (id integer primary key autoincrement, session_id text, role text, content text, tool_call_id text,
    tool_calls text, tool_name text, timestamp real, active integer default 1)`,
  `insert into sessions values ('20261101_1', 'cli', 'hermes-4', null, 1790000000.5)`,
  `insert into messages (session_id, role, content, tool_call_id, tool_calls, timestamp) values
    ('20261101_1', 'user', char(0) || 'json:' || ${quoted([{ type: 'text', text: 'Look' }])}, null, null, 1790000001.5),
    ('20261101_1', 'assistant', null, null, ${quoted([{ id: 'c', type: 'function', function: { name: 'shell', arguments: '{"command":"ls"}' } }])}, 1790000002.5),
    ('20261101_1', 'tool', 'no', 'c', null, 1790000003.5)`,
];

/** Tables of charmbracelet/crush `internal/db/migrations/20250424200609_initial.sql`. */
const crush = [
  `create table sessions (id text primary key, parent_session_id text, title text, created_at integer)`,
  `create table messages (id text primary key, session_id text, role text, parts blob, model text, created_at integer)`,
  `insert into sessions values ('c1', 'c0', 'Look', 1790000000)`,
  `insert into messages values
    ('m1', 'c1', 'user', ${quoted([{ type: 'text', data: { text: 'Look' } }])}, null, 1790000000),
    ('m2', 'c1', 'assistant', ${quoted([{ type: 'tool_call', data: { id: 'c', name: 'shell', input: '{"command":"ls"}' } }])}, 'm', 1790000000),
    ('m3', 'c1', 'tool', ${quoted([{ type: 'tool_result', data: { tool_call_id: 'c', content: 'no', is_error: true } }])}, null, 1790000000)`,
];

it.each([
  ['goose', goose, { sessionId: '20261101_1', args: { command: 'ls' } }],
  ['Hermes', hermes, { sessionId: '20261101_1', args: '{"command":"ls"}' }],
  ['Crush', crush, { sessionId: 'c1', parentSessionId: 'c0', args: '{"command":"ls"}' }],
])('reads the messages of %s in order', async (_, statements, call) => {
  const { file } = databaseOf(...statements);
  const events = await outline(file);
  expect(events).toMatchObject([
    { type: 'prompt_started', text: 'Look' },
    { type: 'turn_started' },
    { type: 'tool_call_request', name: 'shell', ...call },
    { type: 'turn_finished' },
    { type: 'tool_result', result: 'no' },
  ]);
});

it('reads what the model of Hermes thought', async () => {
  const { file } = databaseOf(
    ...hermes,
    'alter table messages add column reasoning text',
    "update messages set reasoning = 'Where is it?' where role = 'assistant'",
  );
  expect(await outline(file)).toContainEqual(
    expect.objectContaining({ type: 'thought', text: 'Where is it?' }),
  );
});

/** A table of openclaw 2026.9.6, whose records are those of its former files; long ones are compressed. */
it('reads the records of OpenClaw', async () => {
  const header = (id: string) => ({
    type: 'session',
    version: 3,
    id,
    cwd: '/w',
    timestamp: '2026-11-01T10:00:00Z',
  });
  const message = (id: string, second: number, message: object) => ({
    type: 'message',
    id,
    parentId: null,
    timestamp: `2026-11-01T10:00:0${String(second)}Z`,
    message,
  });
  const asked = message('m1', 1, { role: 'user', content: [{ type: 'text', text: 'Look' }] });
  const call = { type: 'toolCall', id: 'c', name: 'shell', arguments: { command: 'ls' } };
  const made = message('m2', 2, { role: 'assistant', content: [call] });
  const result = {
    role: 'toolResult',
    toolCallId: 'c',
    toolName: 'shell',
    content: [{ type: 'text', text: 'no' }],
  };
  const packed = zstdFrame(Buffer.from(JSON.stringify(message('m3', 3, result)))).toString('hex');
  const { file } = databaseOf(
    `create table transcript_events (session_id text, seq integer, event_json text, created_at integer, event_zstd blob)`,
    `insert into transcript_events values
      ('later', 1, ${quoted(message('m4', 4, { role: 'user', content: 'More' }))}, 1790000009000, null),
      ('first', 3, ${quoted(made)}, 1790000003000, null),
      ('first', 1, ${quoted(header('first'))}, 1790000001000, null),
      ('first', 2, ${quoted(asked)}, 1790000002000, null),
      ('first', 4, null, 1790000004000, x'${packed}')`,
  );
  expect(await outline(file)).toMatchObject([
    { type: 'prompt_started', sessionId: 'first', text: 'Look' },
    { type: 'turn_started' },
    { type: 'tool_call_request', sessionId: 'first', name: 'shell', args: { command: 'ls' } },
    { type: 'turn_finished' },
    { type: 'tool_result', sessionId: 'first', result: 'no' },
    { type: 'prompt_started', sessionId: 'later', text: 'More' },
  ]);
});

it('creates no file beside a database whose write-ahead log is closed', async () => {
  const { file, database } = databaseOf(...opencode);
  database.exec('pragma wal_checkpoint(truncate)');
  const alone = join(folder, 'a name with space, %20 and ?.db');
  copyFileSync(file, alone);
  const files = readdirSync(folder);
  expect(await outline(alone)).toHaveLength(5);
  expect(readdirSync(folder)).toEqual(files);
});

it('names a database of an unknown kind', async () => {
  const { file } = databaseOf('create table session (id text)');
  await expect(outline(file)).rejects.toThrow(
    `${file}: not the SQLite database of a known agent; those of opencode, goose, Hermes, OpenClaw, Crush can be read`,
  );
});
