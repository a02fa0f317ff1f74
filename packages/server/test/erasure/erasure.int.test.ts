import { readTopic, waitFor } from '@loopwatch/testkit';
import { expect, inject, it } from 'vitest';
import { ownTopics, worker } from '../../../cli/test/worker-runs.ts';
import { dataDir, loop, produce, type RunningServer, runServer, untilThereAre } from '../server-runs.ts';

const ofGone = async (server: RunningServer) =>
  (await server.all('/incidents')).filter(({ sessionId }) => sessionId === 'gone');

it('erasure on Kafka: writes tombstones to compacted topics, and a new database does not bring the session back', async () => {
  const brokers = inject('kafkaBrokers');
  const { env, topics } = await ownTopics(brokers);
  await worker(env);
  const server = await runServer(env, '--data-dir', await dataDir());
  await produce([...loop('gone'), ...loop('stays')], env);
  await untilThereAre(server, '/incidents', 2);
  await untilThereAre(server, '/sessions', 2);
  const [incident] = await ofGone(server);
  const path = `/incidents/${String(incident?.['id'])}`;
  expect(await server.send('PATCH', path, { status: 'acknowledged', note: 'noted' })).toBe(200);
  await waitFor(async () => (await readTopic(brokers, topics.triage)).length > 0);

  const answer = await fetch(`${server.url}/api/v1/sessions/gone`, { method: 'DELETE' });
  expect(await answer.json()).toMatchObject({ sessions: 1, incidents: 1, records: null });
  const ids = async () => (await server.all('/incidents')).map(({ sessionId }) => sessionId);
  expect(await ids()).toEqual(['stays']);

  // The latest record of each key is what compaction keeps.
  const latest = async (topic: string, key: string) =>
    (await readTopic(brokers, topic)).filter((record) => record.key === key).at(-1);
  await waitFor(async () => (await latest(topics.sessions, 'gone'))?.value === null);
  expect(await latest(topics.triage, String(incident?.['id']))).toMatchObject({ value: null });
  expect(await latest(topics.control, 'session:gone')).toMatchObject({ value: null });
  expect(await latest(topics.sessions, 'stays')).not.toMatchObject({ value: null });

  await produce(
    loop('gone').map((line) => line.replaceAll('gone-', 'again-')),
    env,
  );
  await untilThereAre(server, '/incidents', 2);
  const [again] = await ofGone(server);

  const anew = await runServer(env, '--data-dir', await dataDir());
  await untilThereAre(anew, '/incidents', 2);
  await untilThereAre(anew, '/sessions', 2);
  await waitFor(async () => (await anew.readiness()).checks['verdicts']?.detail === undefined);
  const rebuilt = await ofGone(anew);
  expect(rebuilt.map(({ id }) => id)).toEqual([again?.['id']]);
  expect(again?.['id']).not.toBe(incident?.['id']);
});
