import { fromSegment, sessionPath, toSegment } from '@loopwatch/contract/api';
import { waitFor } from '@loopwatch/testkit';
import { expect, it } from 'vitest';
import { sharedPglite } from '../../../storage/test/shared-pglite.ts';
import { startServer, topics } from '../running-server.ts';
import { START, summary } from '../verdicts.ts';

const emptyDatabase = sharedPglite();

it('posted ids that a database makes one reach the log as one; long ones are refused', async () => {
  const { url, log, server } = await startServer({ openDatabase: emptyDatabase, now: () => START });
  const ids = [
    '"\\ufeffrun"',
    '"\ufeffrun"',
    '"run\\udc11"',
    '"run\\ud9aa"',
    '"run\\u0000"',
    `"${'漢'.repeat(400)}"`,
  ];
  const response = await fetch(`${url}/api/v1/events`, {
    method: 'POST',
    body: ids.map((id) => `{"sessionId":${id},"type":"turn_started"}`).join('\n'),
  });
  expect([response.status, await response.json()]).toMatchObject([
    202,
    { accepted: 5, rejected: [{ line: 6, code: 'invalid_event' }] },
  ]);
  const keys = (log.topics.get(topics.events) ?? []).map(({ key }) => String(key));
  expect(new Set(keys)).toEqual(new Set(['\ufffdrun', 'run\ufffd']));
  const decided = await fetch(`${url}/api/v1/decide`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ sessionId: '漢'.repeat(400), name: 'x' }),
  });
  expect(decided.status).toBe(400);
  await server.stop();
});

it('sessions whose ids are dot segments are served under a path that clients do not fold', async () => {
  const { url, log, server, stored } = await startServer({ openDatabase: emptyDatabase, now: () => START });
  const ids = ['.', '..', '~.', '~~..', '...', '%2e', '~', 'a/b', '~a'];
  for (const id of ids) {
    log.append(topics.sessions, JSON.stringify(summary(id)), { key: id, timestamp: START });
  }
  await stored();
  const read = async (path: string) => {
    const response = await fetch(`${url}/api/v1${path}`);
    return response.ok ? ((await response.json()) as { sessionId: string }).sessionId : response.status;
  };
  for (const id of ids) {
    expect(await read(sessionPath(id)), id).toBe(id);
    expect(await read(`${sessionPath(id)}/events`), id).toBeUndefined();
    expect(fromSegment(toSegment(id))).toBe(id);
  }
  expect(await read('/sessions/%7E%2E%2E')).toBe('..');
  await server.stop();
});

it('status: shows what could not be stored', async () => {
  const { url, log, server } = await startServer({ openDatabase: emptyDatabase, now: () => START });
  log.append(topics.sessions, JSON.stringify(summary('ä€'.repeat(900))), {
    key: 'k',
  });
  log.append(topics.sessions, '[]', { key: 'k' });
  const sessions = async () => {
    const status = (await (await fetch(`${url}/api/v1/status`)).json()) as {
      log: { topics: { role: string; partitions: { setAside: number; latestSetAside: object | null }[] }[] };
    };
    return status.log.topics.find(({ role }) => role === 'sessions')?.partitions[0];
  };
  await waitFor(async () => ((await sessions())?.setAside ?? 0) > 0);
  expect(await sessions()).toMatchObject({
    latestSetAside: { offset: 1, reason: 'invalid_record', at: START },
  });
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expect(metrics).toMatch(
    /loopwatch_server_dead_letters_total\{topic="sessions",reason="invalid_record"\} 1/,
  );
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  await server.stop();
});
