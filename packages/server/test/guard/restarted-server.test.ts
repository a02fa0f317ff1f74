import type { Database } from '@loopwatch/storage';
import { expect, it, onTestFinished } from 'vitest';
import { makePglite } from '../../../storage/test/databases.ts';
import type { MemoryLog } from '../memory-log.ts';
import { startServer, topics } from '../running-server.ts';
import { START, summary } from '../verdicts.ts';

const other = { session_id: 'other', hook_event_name: 'PostToolUse', tool_name: 'Read', tool_input: {} };

/** Two servers, one after the other, over the same log and database. */
async function servers() {
  const { database } = await makePglite();
  const shared = { ...database, close: () => Promise.resolve() } as Database;
  let clock = START;
  let log: MemoryLog | undefined;
  const start = async () => {
    const started = await startServer({
      openDatabase: () => Promise.resolve(shared),
      now: () => (clock += 1_000),
      ...(log !== undefined && { log }),
    });
    log ??= started.log;
    onTestFinished(() => started.server.stop());
    const post = async (path: string, body: object, method = 'POST'): Promise<string> => {
      const headers = { 'content-type': 'application/json' };
      const sent = { method, headers, body: JSON.stringify(body) };
      const response = await fetch(`${started.url}/api/v1${path}`, sent);
      expect(response.status).toBe(200);
      return response.text();
    };
    return { ...started, log, post };
  };
  return { start, now: () => clock };
}

const read = (path: string, n: number) => ({
  session_id: 's-1',
  tool_name: 'Read',
  tool_input: { file_path: path },
  tool_use_id: `t-${String(n)}`,
});

it.each<[what: string, set: object, path: (n: number) => string, before: string, after: string]>([
  ['a budget', { 'budget.calls': 4 }, (n) => `f-${String(n)}`, '---', '-EE'],
  ['a loop', {}, () => 'f', '---', 'DDE'],
  ['a loop that was denied', {}, () => 'f', '---DD', 'E'],
  ['different calls', {}, (n) => `f-${String(n)}`, '----', '----'],
])('hooks: %s goes on after a restart of the server', async (_what, set, path, before, after) => {
  const { start, now } = await servers();
  let made = 0;
  const call = async ({ post }: Awaited<ReturnType<typeof start>>) => {
    const input = read(path(made), (made += 1));
    const said = await post('/hooks/claude-code', { ...input, hook_event_name: 'PreToolUse' });
    if (said.includes('"continue":false')) return 'E';
    if (said.includes('"deny"')) return 'D';
    await post('/hooks/claude-code', { ...input, hook_event_name: 'PostToolUse', tool_response: 'text' });
    return '-';
  };
  const calls = async (server: Awaited<ReturnType<typeof start>>, times: number) => {
    let answers = '';
    for (let n = 0; n < times; n += 1) answers += await call(server);
    return answers;
  };
  const first = await start();
  await first.post('/settings/server', { set }, 'PUT');
  await first.post('/hooks/claude-code', other);
  expect(await calls(first, before.length)).toBe(before);
  const source = { topic: topics.events, partition: 0, firstOffset: '1', lastOffset: '2' };
  first.log.append(topics.sessions, JSON.stringify(summary('s-1', { source, lastEventAt: now() })), {
    key: 's-1',
  });
  await first.stored();
  await first.server.stop();
  expect(await calls(await start(), after.length)).toBe(after);
});
