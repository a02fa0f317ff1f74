import type { ChangesMessage } from '@loopwatch/contract/api';
import { startPostgres, waitFor } from '@loopwatch/testkit';
import { io } from 'socket.io-client';
import { expect, inject, it, onTestFinished } from 'vitest';
import { fileOf, interleavedSamples, ownTopics, replayed, worker } from '../../cli/test/worker-runs.ts';
import { loop, produce, type RunningServer, runServer, shownBy, untilThereAre } from './server-runs.ts';

/** Two servers, a worker and a broker take their time on a busy machine. */
const until = (condition: () => boolean | Promise<boolean>) => waitFor(condition);

/** A page of this server: what it was told. */
async function page({ url }: RunningServer): Promise<ChangesMessage[]> {
  const told: ChangesMessage[] = [];
  const socket = io(`${url}/live`, { transports: ['websocket'] });
  onTestFinished(() => void socket.disconnect());
  const greeted = new Promise((resolve) => socket.once('snapshot', resolve));
  socket.on('changes', (message: ChangesMessage) => told.push(message));
  await greeted;
  return told;
}

/** Follows server-sent events until the test ends. @returns what came so far */
async function eventStream(url: string): Promise<() => string> {
  const abort = new AbortController();
  const { body } = await fetch(url, { signal: abort.signal });
  let text = '';
  const read = body!
    .pipeThrough(new TextDecoderStream())
    .pipeTo(new WritableStream({ write: (piece) => void (text += piece) }))
    .catch(() => undefined);
  onTestFinished(async () => {
    abort.abort();
    await read;
  });
  return () => text;
}

it('two servers on one PostgreSQL: store each row once, and broadcast each other’s changes', async () => {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.stop());
  const { env: own } = await ownTopics(inject('kafkaBrokers'));
  const env = { ...own, DATABASE_URL: await postgres.createDatabase() };
  await worker(env);
  // They make the database at the same time.
  const [one, other] = await Promise.all([runServer(env), runServer(env)]);
  const told = [await page(one), await page(other)];

  const lines = interleavedSamples();
  const expected = await replayed(await fileOf(lines));
  await produce(lines, env);
  await untilThereAre(one, '/verdicts', expected.length);
  const verdicts = (await other.all('/verdicts')).map(({ id }) => id);
  expect(verdicts.toSorted()).toEqual(expected.toSorted());
  const stored = 'loopwatch_server_verdicts_read_total{result="stored"}';
  await until(async () => (await one.metric(stored)) + (await other.metric(stored)) === expected.length);
  await until(async () => {
    const [a, b] = await Promise.all([one, other].map((server) => shownBy(server)));
    return JSON.stringify(a) === JSON.stringify(b);
  });

  await produce(loop('a-new-one'), env);
  for (const messages of told) {
    await until(() =>
      messages.some(({ incidents }) => incidents.some(({ sessionId }) => sessionId === 'a-new-one')),
    );
  }

  // What people do at one is told by the other, and seen there.
  const id = String((await one.all('/incidents'))[0]?.['id']);
  expect(await one.send('PATCH', `/incidents/${id}`, { status: 'acknowledged' })).toBe(200);
  expect(await other.get(`/incidents/${id}`)).toMatchObject({
    triage: { status: 'acknowledged', revision: 1 },
  });
  await until(() =>
    told[1]!.some(({ incidents }) => incidents.some((item) => item.id === id && item.triage.revision === 1)),
  );
  // A guard that follows the session at the other is told what was dismissed here, and what no longer is.
  const [open] = (await one.all('/incidents')).filter(({ sessionId }) => sessionId === 'a-new-one');
  const openId = String(open?.['id']);
  const stream = await eventStream(`${other.url}/api/v1/sessions/a-new-one/verdicts/stream`);
  // Its verdicts may come after its triage.
  const lastTriage = () => [...stream().matchAll(/^event: triage\ndata: (.*)\n\n/gm)].at(-1)?.[1];
  expect(await one.send('PATCH', `/incidents/${openId}`, { status: 'false_positive' })).toBe(200);
  await until(() => lastTriage() === JSON.stringify({ dismissed: [openId] }));
  expect(await one.send('PATCH', `/incidents/${openId}`, { status: 'acknowledged' })).toBe(200);
  await until(() => lastTriage() === JSON.stringify({ dismissed: [] }));
  // A decision made on what has changed meanwhile is refused, at whichever server.
  expect(await other.send('PATCH', `/incidents/${id}`, { status: 'muted', revision: 0 })).toBe(409);
  expect(await one.send('PUT', '/settings/server', { set: { 'tool_call_loop.max_repeats': 4 } })).toBe(200);
  expect(await other.get('/settings/server')).toMatchObject({ set: { 'tool_call_loop.max_repeats': 4 } });
  await until(() => told[1]!.some(({ settings }) => settings.includes('server')));
  expect(await other.send('PUT', '/settings/server', { set: {}, version: 0 })).toBe(409);

  const chat = { type: 'slack', url: 'http://localhost:9/hook' };
  expect(await one.send('PUT', '/notifications/chat', chat)).toBe(200);
  const names = async () => (await other.get<{ items: { name: string }[] }>('/notifications')).items;
  await until(async () => (await names()).some(({ name }) => name === 'chat'));
  expect(await other.send('DELETE', '/notifications/chat')).toBe(204);

  // One goes; the other has all that comes.
  expect(await one.stop()).toBe(0);
  await produce(loop('to-the-other'), env);
  const count = (await other.all('/incidents')).filter(
    ({ sessionId }) => sessionId !== 'to-the-other',
  ).length;
  await untilThereAre(other, '/incidents', count + 1);
});
