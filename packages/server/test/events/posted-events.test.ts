import { gzipSync } from 'node:zlib';
import { LogError } from '@loopwatch/log';
import { zstdFrame } from '@loopwatch/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sharedPglite } from '../../../storage/test/shared-pglite.ts';
import type { LoopwatchServer } from '../../src/index.ts';
import type { MemoryLog } from '../memory-log.ts';
import { startServer, topics } from '../running-server.ts';
import { START } from '../verdicts.ts';

const emptyDatabase = sharedPglite();
const call = { sessionId: 's-1', type: 'tool_call_request', name: 'read_file', args: { path: 'a' } };
const line = JSON.stringify(call);
const MEBIBYTE = 1024 * 1024;
let url: string;
let log: MemoryLog;
let server: LoopwatchServer;

beforeEach(async () => {
  ({ url, log, server } = await startServer({ openDatabase: emptyDatabase, now: () => START }));
});

afterEach(() => server.stop());

// oxlint-disable-next-line typescript/no-explicit-any
type Answer = { status: number; headers: Headers; body: any };

async function post(
  body: string | Buffer,
  headers: Record<string, string> = {},
  query = '',
): Promise<Answer> {
  const response = await fetch(`${url}/api/v1/events${query}`, {
    method: 'POST',
    body: Buffer.from(body) as Uint8Array<ArrayBuffer>,
    headers,
  });
  return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
}

const written = () => log.values(topics.events);

describe('posted events', () => {
  it('are refused with 429 while the log is full of unread ones, and only then', async () => {
    log.failure = new LogError('log_full', 'Topic events is full.');
    const refused = await post(line);
    expect([refused.status, refused.headers.get('retry-after'), refused.body]).toMatchObject([
      429,
      '5',
      { accepted: 0, retryFromLine: 1, detail: 'Topic events is full.' },
    ]);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    log.failure = undefined;
    expect((await post(line)).status).toBe(202);
  });

  it('may be CloudEvents in binary mode, whose attributes are headers', async () => {
    const { sessionId: _, ...data } = call;
    const headers = {
      'content-type': 'application/json',
      'ce-specversion': '1.0',
      'ce-id': '7',
      'ce-source': '/agents/a',
      'ce-type': 'agent.event',
      'ce-subject': 'Gr%C3%BC%C3%9Fe',
    };
    const { status, body } = await post(JSON.stringify(data), headers);
    expect([status, body]).toMatchObject([202, { accepted: 1, rejected: [] }]);
    expect(written()).toMatchObject([{ ...data, sessionId: 'Grüße', id: '/agents/a#7.0' }]);
    expect((await post('', headers)).body).toMatchObject({ ignored: { 'cloudevent without data': 1 } });
  });

  it('of a file that curl -d has put on one line are rejected with the option to use', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await post(line, form)).status).toBe(202);
    const { status, body } = await post(line.trim().repeat(2), form);
    expect([status, body.detail]).toEqual([
      400,
      expect.stringMatching(/line 1: .*`curl -d @FILE`.* use --data-binary$/),
    ]);
    expect((await post(line.trim().repeat(2))).body.detail).not.toContain('curl');
  });

  it('are keyed by session, with the current time as default', async () => {
    const { status, body } = await post(line, { 'content-type': 'application/json' });
    expect([status, body]).toEqual([202, { accepted: 1, duplicates: 0, ignored: {}, rejected: [] }]);
    expect(written()).toEqual([{ ...call, time: START }]);
    expect(String(log.topics.get(topics.events)?.[0]?.key)).toBe('s-1');
  });

  it('get a time in place of null, however deeply they are nested', async () => {
    const deep = `{"sessionId":"s-1","type":"tool_call_request","name":"read_file","args":${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}}`;
    const { status, body } = await post(`${JSON.stringify({ ...call, time: null })}\n${deep}\n${line} \n`);
    expect([status, body]).toMatchObject([202, { accepted: 3, rejected: [] }]);
    const times = written().map((event) => (event as { time: unknown }).time);
    expect(times).toEqual([START, START, START]);
  });

  const events = [1, 2, 3].map((time) => ({ ...call, time, args: { path: '],[{"\\"' } }));
  const texts = events.map((event) => JSON.stringify(event));
  const forms: [string, string | Buffer, Record<string, string>][] = [
    ['lines', texts.join('\n'), {}],
    ['Windows lines with blank lines in between', `\uFEFF\r\n${texts.join('\r\n\r\n')}\r\n`, {}],
    ['an array', JSON.stringify(events), {}],
    ['an array over several lines', JSON.stringify(events, null, 2), {}],
    ['server-sent events', texts.map((text) => `event: message\ndata: ${text}\n`).join('\n'), {}],
    ['lines, compressed', gzipSync(texts.join('\n')), { 'content-encoding': 'gzip' }],
    ['lines by zstd', zstdFrame(Buffer.from(texts.join('\n'))), { 'content-encoding': 'zstd' }],
  ];
  it.each(forms)('may be %s', async (_name, body, headers) => {
    expect(await post(body, headers)).toMatchObject({ status: 202, body: { accepted: 3, rejected: [] } });
    expect(written()).toEqual(events);
  });

  it('may be one event over several lines', async () => {
    const [event] = events;
    expect((await post(JSON.stringify(event, null, 2))).body).toMatchObject({ accepted: 1 });
    expect(written()).toEqual([event]);
  });

  it('may be wrapped in envelopes, which are removed', async () => {
    const data = { type: 'content', text: 'Hello', sessionId: 'c', time: 5 };
    const envelope = { specversion: '1.0', id: '7', source: '/a', type: 'agent.event', data };
    expect(await post(JSON.stringify(envelope))).toMatchObject({ status: 202, body: { accepted: 1 } });
    expect(written()).toEqual([{ ...data, id: '/a#7.0' }]);
  });

  it('may be records of another format; irrelevant ones are counted', async () => {
    const record = (type: string, more: object) => ({
      type,
      uuid: type,
      sessionId: 'c',
      timestamp: '2026-11-01T10:00:00Z',
      ...more,
    });
    const use = { type: 'tool_use', id: 't', name: 'Read', input: { file_path: 'a' } };
    const records = [
      record('user', { message: { role: 'user', content: 'look' } }),
      record('assistant', {
        message: { id: 'm', role: 'assistant', model: 'claude-opus-5', content: [use] },
      }),
      record('summary', { summary: 'x', leafUuid: 'y' }),
    ];
    const body = records.map((one) => JSON.stringify(one)).join('\n');
    const answer = await post(body);
    expect(answer).toMatchObject({
      status: 202,
      body: { accepted: 4, ignored: { summary: 1 }, rejected: [] },
    });
    const events = written() as { type: string; sessionId: string }[];
    expect(events.map(({ type, sessionId }) => [type, sessionId])).toEqual([
      ['prompt_started', 'c'],
      ['turn_started', 'c'],
      ['tool_call_request', 'c'],
      ['turn_finished', 'c'],
    ]);
    // Sent again, they have the same ids.
    expect((await post(body)).body).toMatchObject({ accepted: 0, duplicates: 4 });
  });

  it('count once when a fork begins with them, until their session is erased', async () => {
    const record = (sessionId: string, uuid: string) => {
      const message = { role: 'user', content: `look ${uuid}` };
      return JSON.stringify({ type: 'user', uuid, sessionId, timestamp: '2026-11-01T10:00:00Z', message });
    };
    const body = (sessionId: string, ...uuids: string[]) =>
      uuids.map((id) => record(sessionId, id)).join('\n');
    expect((await post(body('a', '1', '2'))).body).toMatchObject({ accepted: 2, duplicates: 0 });
    expect((await post(body('fork', '1', '2', '3'))).body).toMatchObject({ accepted: 1, duplicates: 2 });
    // A producer that sends its own events again is not a fork: the log may have lost them.
    await post(body('a', '1', '2'));
    const sessions = () => (written() as { sessionId: string }[]).map(({ sessionId }) => sessionId);
    expect(sessions()).toEqual(['a', 'a', 'fork', 'a', 'a']);
    await fetch(`${url}/api/v1/sessions/a`, { method: 'DELETE', headers: { 'x-requested-by': 'test' } });
    expect((await post(body('other', '1'))).body).toMatchObject({ accepted: 1, duplicates: 0 });
  });

  it('may be the array of a LiteLLM callback, whose records repeat the conversation', async () => {
    const call = { role: 'assistant', tool_calls: [{ id: 'c1', function: { name: 'ls', arguments: '{}' } }] };
    const history = [
      { role: 'user', content: 'look' },
      call,
      { role: 'tool', tool_call_id: 'c1', content: 'a' },
    ];
    const record = (messages: object[], message: object) => ({
      call_type: 'acompletion',
      trace_id: 'run-7',
      response_cost: 0.01,
      messages,
      response: { choices: [{ message }] },
    });
    const records = [
      record(history.slice(0, 1), call),
      record(history, { role: 'assistant', content: 'Done.' }),
    ];
    expect((await post(JSON.stringify(records))).body).toMatchObject({ accepted: 8, rejected: [] });
    const events = written() as { type: string; sessionId: string; costUsd?: number }[];
    expect(new Set(events.map(({ sessionId }) => sessionId))).toEqual(new Set(['run-7']));
    expect(events.filter(({ type }) => type === 'tool_call_request')).toHaveLength(1);
    expect(events.filter(({ costUsd }) => costUsd === 0.01)).toHaveLength(2);
  });

  it('are rejected under a wrong format name, naming the right one', async () => {
    const answer = await post(line, {}, '?format=codex');
    expect(answer.status).toBe(400);
    expect(answer.body.rejected).toEqual([
      {
        line: 1,
        code: 'unknown_format',
        detail: expect.stringContaining('use the format canonical instead of codex'),
      },
    ]);
  });

  it('may lack a session when the request names it', async () => {
    const event = { id: 'e', timestamp: '2026-04-02T15:25:41', source: 'user', kind: 'MessageEvent' };
    const said = { ...event, llm_message: { role: 'user', content: [{ type: 'text', text: 'look' }] } };
    expect((await post(JSON.stringify(said))).body).toMatchObject({
      accepted: 0,
      ignored: { 'MessageEvent without a session': 1 },
    });
    const answer = await post(JSON.stringify(said), {}, '?session=conversation');
    expect(answer.body).toMatchObject({ accepted: 1 });
    expect(written()).toMatchObject([{ sessionId: 'conversation' }]);
  });

  it('are accepted even when others are rejected, each with its line', async () => {
    const body = [
      line,
      'not json',
      '{"type":"content","text":"no session"}',
      '',
      '{"sessionId":"s"}',
      '[]',
      line,
    ];
    const answer = await post(body.join('\n'));
    expect(answer).toMatchObject({ status: 202, body: { accepted: 2 } });
    expect(
      answer.body.rejected.map(({ line: at, code }: { line: number; code: string }) => [at, code]),
    ).toEqual([
      [2, 'not_json'],
      [3, 'missing_session'],
      [5, 'invalid_event'],
      [6, 'not_an_object'],
    ]);
    expect(written()).toHaveLength(2);
  });

  it('of an array are rejected by their position', async () => {
    const answer = await post(`[${line}, 7,\n {"sessionId": "s"}, ${line}]`);
    expect(answer.body).toMatchObject({ accepted: 2, rejected: [{ line: 2 }, { line: 3 }] });
  });

  it('are counted as accepted, duplicate or ignored', async () => {
    const known = JSON.stringify({ ...call, id: 'e-1' });
    const unknown = JSON.stringify({ ...call, type: 'thinking_harder' });
    expect((await post([known, unknown, known].join('\n'))).body).toMatchObject({
      accepted: 1,
      duplicates: 1,
      ignored: { thinking_harder: 1 },
    });
    expect((await post(known)).body).toMatchObject({ accepted: 0, duplicates: 1 });
    expect((await post(JSON.stringify({ ...call, id: 'e-1', sessionId: 's-2' }))).body).toMatchObject({
      accepted: 1,
    });
  });

  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const wide = `{${Array.from({ length: 100_001 }, (_, n) => `"k${String(n)}":1`).join()}}`;
  const large = JSON.stringify({ ...call, args: { text: 'x'.repeat(17 * MEBIBYTE) } });
  const hostile: [string, string, number, string][] = [
    ['not JSON', 'x', 400, 'not_json'],
    ['nested 100,000 levels deep', line.replace('"a"', deep), 422, 'too_complex'],
    ['with more than 100,000 members', line.replace('"a"', wide), 422, 'too_complex'],
    ['larger than the maximum record size', large, 413, 'too_large'],
  ];
  it.each(hostile)('%s are rejected, their neighbors are not', async (_name, bad, status, code) => {
    const alone = await post(bad);
    expect(alone).toMatchObject({ status, body: { accepted: 0, rejected: [{ line: 1, code }] } });
    expect(alone.body.detail).toMatch(/^The event was rejected: line 1: /);
    const beside = await post([line, bad, line].join('\n'));
    expect(beside).toMatchObject({ status: 202, body: { accepted: 2, rejected: [{ line: 2, code }] } });
  });

  it('too large for the log are rejected, their neighbors are not', async () => {
    log.refusal = (value) =>
      value.includes('large') ? new LogError('record_too_large', 'too large') : undefined;
    const answer = await post([line, line.replace('"a"', '"large"'), line].join('\n'));
    expect(answer).toMatchObject({
      status: 202,
      body: { accepted: 2, rejected: [{ line: 2, code: 'too_large' }] },
    });
  });

  it('are not read beyond 10,000 rejections; the response names the line', async () => {
    const rubbish = 'x\n'.repeat(20_000);
    const mixed = await post(`${line}\n${rubbish}${line}`);
    expect(mixed).toMatchObject({
      status: 422,
      body: { accepted: 1, rejectedTotal: 10_000, unreadFromLine: 10_002 },
    });
    expect(mixed.body.rejected).toHaveLength(100);
    expect(written()).toHaveLength(1);
    expect((await post(rubbish)).status).toBe(400);
  });

  it('are rejected when the body is empty, corrupt, too large, or a compression bomb', async () => {
    expect((await post('')).status).toBe(400);
    expect((await post('\n \r\n')).status).toBe(400);
    expect((await post(line, { 'content-encoding': 'gzip' })).status).toBe(400);
    for (const coding of ['lz4', 'constructor', '__proto__', 'gzip, gzip'])
      expect((await post(line, { 'content-encoding': coding })).status).toBe(415);
    expect((await post('x'.repeat(21 * MEBIBYTE))).status).toBe(413);
    expect((await post(`[${line}${' '.repeat(21 * MEBIBYTE)}]`)).status).toBe(413);
    const bomb = gzipSync(`[${line},${' '.repeat(300 * MEBIBYTE)}]`);
    expect((await post(bomb, { 'content-encoding': 'gzip' })).status).toBe(413);
    expect((await post(line, { 'content-encoding': 'zstd' })).status).toBe(400);
    const wide = await post(Buffer.from(`28b52ffd0070${'0800005b'.repeat(4)}`, 'hex'), {
      'content-encoding': 'zstd',
    });
    expect([wide.status, wide.body.detail]).toEqual([400, expect.stringContaining('larger than 8 MiB')]);
    // The header of a frame, a block with a bracket, and blocks of 100 KiB of spaces: 300 MB in 12 kB.
    const frame = Buffer.from(`28b52ffd00380800005b${'02800c20'.repeat(3_000)}`, 'hex');
    expect((await post(frame, { 'content-encoding': 'zstd' })).status).toBe(413);
    expect(written()).toEqual([]);
  });

  it('are rejected from a page of another origin', async () => {
    expect((await post(line, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await post(line, { origin: url })).status).toBe(202);
  });

  it('in an unknown format are rejected with the known formats', async () => {
    expect((await post(line, {}, '?format=canonical')).status).toBe(202);
    const answer = await post(line, {}, '?format=yaml');
    expect([answer.status, answer.body.detail]).toEqual([400, expect.stringContaining('canonical')]);
  });

  it('that the log cannot write are to be retried from the named line', async () => {
    const large = line.replace('"a"', JSON.stringify('x'.repeat(600_000)));
    let left = 2;
    log.refusal = () => {
      left -= 1;
      return left < 0 ? new Error('no brokers') : undefined;
    };
    const failed = await post([line, large, line].join('\n'));
    expect(failed).toMatchObject({ status: 503, body: { accepted: 2, retryFromLine: 3 } });
    expect(failed.headers.get('retry-after')).toBe('5');
    expect(JSON.stringify(failed.body)).not.toContain('no brokers');
    expect(written()).toHaveLength(2);
  });
});
