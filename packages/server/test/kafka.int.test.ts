import { waitFor } from '@loopwatch/testkit';
import { expect, inject, it } from 'vitest';
import { fileOf, interleavedSamples, ownTopics, replayed, worker } from '../../cli/test/worker-runs.ts';
import {
  atAnyTime,
  dataDir,
  loop,
  produce,
  type RunningServer,
  runServer,
  shownBy,
  untilThereAre,
} from './server-runs.ts';

it('server on Kafka: shows published verdicts, resumes after a restart, and rebuilds its database from the topics', async () => {
  const { env } = await ownTopics(inject('kafkaBrokers'));
  const lines = interleavedSamples();
  const expected = await replayed(await fileOf(lines));
  const dir = await dataDir();
  await worker(env);
  const first = await runServer(env, '--data-dir', dir);
  await produce(lines, env);
  await untilThereAre(first, '/verdicts', expected.length);
  expect((await first.all('/verdicts')).map(({ id }) => id).toSorted()).toEqual(expected.toSorted());

  // The events of each session, in their order, from the log.
  const own = new Map<string, string[]>();
  for (const { sessionId, id } of lines.map(
    (line) => JSON.parse(line) as { sessionId: string; id: string },
  )) {
    own.set(sessionId, [...(own.get(sessionId) ?? []), id]);
  }
  await untilThereAre(first, '/sessions', own.size);
  for (const [sessionId, ids] of own) {
    const read = await first.get<{ items: { event: { id?: string } }[] }>(
      `/sessions/${encodeURIComponent(sessionId)}/events?limit=200`,
    );
    expect(read.items.map(({ event }) => event.id)).toEqual(ids.slice(0, 200));
  }

  // What people say is in the topics as well.
  const [incident] = await first.all('/incidents');
  const path = `/incidents/${String(incident?.['id'])}`;
  expect(await first.send('PATCH', path, { status: 'false_positive', note: 'as it should be' })).toBe(200);
  const set = { set: { 'tool_call_loop.max_repeats': 4 } };
  expect(await first.send('PUT', '/settings/server', set)).toBe(200);
  const before = await shownBy(first);
  expect(await first.stop()).toBe(0);

  await produce(loop('while-it-was-down'), env);
  const second = await runServer(env, '--data-dir', dir);
  await untilThereAre(second, '/incidents', before['incidents']!.length + 1);
  await untilThereAre(second, '/sessions', own.size + 1);
  const after = await shownBy(second);
  expect(after['incidents']).toEqual(expect.arrayContaining(before['incidents']!));
  // It has read only what was new.
  const stored = (result: string) =>
    second.metric(`loopwatch_server_verdicts_read_total{result="${result}"}`);
  expect([await stored('stored'), await stored('duplicate')]).toEqual([
    after['verdicts']!.length - before['verdicts']!.length,
    0,
  ]);

  const anew = await runServer(env, '--data-dir', await dataDir());
  await untilThereAre(anew, '/incidents', after['incidents']!.length);
  await untilThereAre(anew, '/sessions', own.size + 1);
  await waitFor(
    async () => (await anew.get<{ triage: { status: string } }>(path)).triage.status !== 'new',
    {},
  );
  expect(await shownBy(anew)).toEqual(after);
  const ofOne = async (server: RunningServer) => atAnyTime(await server.get(path), 'open');
  expect(await ofOne(anew)).toEqual(await ofOne(second));
  const settings = await anew.get<{ set: unknown }>('/settings/server');
  expect(settings.set).toEqual(set.set);
});
