import { rm } from 'node:fs/promises';
import { erasedHeader } from '@loopwatch/contract';
import { type Erasure, userHeader } from '@loopwatch/contract/api';
import { BytesRecord } from '@loopwatch/log';
import { openDatabase } from '@loopwatch/storage';
import { expect, it, onTestFinished } from 'vitest';
import { pgliteFolder } from '../../../storage/test/pglite-folder.ts';
import type { ServerLog } from '../../src/index.ts';
import { MemoryLog } from '../memory-log.ts';
import { silent, startServer, topics } from '../running-server.ts';
import { summary, verdict } from '../verdicts.ts';

/** A log in memory that erases, beside a worker that answers each tombstone with its marks. */
function erasingLog() {
  const memory = new MemoryLog();
  const erase = { failure: undefined as Error | undefined, calls: 0 };
  const log: ServerLog = {
    kind: 'embedded',
    reader: (topic) => memory.reader(topic),
    records: () => memory.records(),
    sink: () => {
      const sink = memory.sink();
      return {
        ...sink,
        publish: async (records) => {
          await sink.publish(records);
          for (const { topic, key, headers } of records)
            if (topic === topics.events && headers !== undefined && erasedHeader in headers)
              for (const marked of [topics.verdicts, topics.sessions])
                memory.append(marked, null, { key: String(key), headers });
        },
      };
    },
    erase: (isErased) => {
      erase.calls += 1;
      if (erase.failure !== undefined) return Promise.reject(erase.failure);
      let erased = 0;
      for (const [topic, records] of memory.topics)
        for (const [at, record] of records.entries())
          if (isErased(topic, record)) {
            erased += 1;
            // Keeps its offset.
            const { offset, timestamp } = record;
            records[at] = new BytesRecord({ offset, timestamp, key: null, value: null, headers: {} });
          }
      return Promise.resolve(erased);
    },
  };
  const store = (id: string, tenant = 'acme') => {
    memory.append(topics.events, JSON.stringify({ sessionId: id, type: 'content', text: 'x' }), { key: id });
    memory.append(topics.sessions, JSON.stringify({ ...summary(id), tenant }), { key: id });
    memory.appendVerdict(verdict({ sessionId: id, incidentId: `i-${id}`, tenant }));
  };
  const left = (id: string) =>
    [...memory.topics.values()].flat().filter((one) => one.text !== null && String(one.key) === id).length;
  return { memory, log, erase, store, left };
}

async function serverOver(log: ServerLog, memory: MemoryLog, folder: string) {
  const running = await startServer({
    log,
    openDatabase: () => openDatabase({ data_dir: folder, database_url: undefined }, silent),
  });
  const request = async (path: string, method = 'GET') => {
    const headers = { [userHeader]: 'ann' };
    const response = await fetch(`${running.url}/api/v1${path}`, { method, headers });
    return { status: response.status, body: (await response.json()) as Erasure & { items: unknown[] } };
  };
  const items = async (path: string) => (await request(path)).body.items;
  const stored = () => expect.poll(() => memory.delivered).toBe(true);
  return { ...running, request, items, stored };
}

async function folder(): Promise<string> {
  const path = await pgliteFolder();
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

it.each(['a repeat', 'the next start'])(
  'erasure: %s finishes one that failed after its rows were deleted',
  async (finishedBy) => {
    const { memory, log, erase, store, left } = erasingLog();
    const data = await folder();
    let server = await serverOver(log, memory, data);
    for (const id of ['s-1', 's-2']) store(id);
    store('s-other', 'other');
    await expect.poll(() => server.items('/sessions')).toHaveLength(3);
    await expect.poll(() => server.items('/incidents')).toHaveLength(3);

    erase.failure = new Error('the process ends here');
    expect(await server.request('/sessions?tenant=acme', 'DELETE')).toMatchObject({ status: 500 });
    expect(await server.items('/sessions')).toMatchObject([{ sessionId: 's-other' }]);
    expect(await server.items('/audit')).toEqual([]);
    expect(left('s-1')).toBe(3);

    erase.failure = undefined;
    const counts = { sessions: 2, incidents: 2, records: 6 };
    if (finishedBy === 'a repeat') {
      const again = await server.request('/sessions?tenant=acme', 'DELETE');
      expect(again).toMatchObject({ status: 200, body: counts });
    } else {
      await server.server.stop();
      server = await serverOver(log, memory, data);
    }
    await expect
      .poll(() => server.items('/audit'))
      .toMatchObject([{ action: 'session.erased', subject: 'tenant:acme', actor: 'ann', detail: counts }]);
    expect([left('s-1'), left('s-2'), left('s-other')]).toEqual([0, 0, 3]);
    expect(await server.items('/sessions')).toMatchObject([{ sessionId: 's-other' }]);
    await server.server.stop();

    // Nothing is left to finish.
    const calls = erase.calls;
    const last = await serverOver(log, memory, data);
    expect(await last.request('/sessions/s-new', 'DELETE')).toMatchObject({ status: 200 });
    expect(erase.calls).toBe(calls + 1);
    await last.server.stop();
  },
);

it('erasure: one that could not be written has not begun', async () => {
  const { memory, log, erase, store, left } = erasingLog();
  const data = await folder();
  const first = await serverOver(log, memory, data);
  store('s-1');
  await expect.poll(() => first.items('/sessions')).toHaveLength(1);
  memory.failure = new Error('no log');
  expect(await first.request('/sessions/s-1', 'DELETE')).toMatchObject({ status: 503 });
  await first.server.stop();

  memory.failure = undefined;
  const second = await serverOver(log, memory, data);
  expect(await second.request('/sessions?tenant=nobody', 'DELETE')).toMatchObject({ body: { sessions: 0 } });
  expect(erase.calls).toBe(1);
  expect(await second.items('/sessions')).toHaveLength(1);
  expect(left('s-1')).toBe(3);
  await second.server.stop();
});

it('erasure: takes an id with a byte order mark for itself, whether it is stored with or without the mark', async () => {
  const { memory, log, store, left } = erasingLog();
  const server = await serverOver(log, memory, await folder());
  for (const id of ['abc', '\ufffdabc']) store(id);
  // As earlier versions stored it.
  store('\ufeffold', 'old');
  store('old');
  await expect.poll(() => server.items('/sessions')).toHaveLength(4);
  await expect.poll(() => server.items('/incidents')).toHaveLength(4);
  const erased = await server.request(`/sessions/${encodeURIComponent('\ufeffabc')}`, 'DELETE');
  expect(erased).toMatchObject({ body: { sessions: 1, incidents: 1, records: 3 } });
  expect([left('abc'), left('\ufffdabc')]).toEqual([3, 0]);
  expect(await server.request('/sessions?tenant=old', 'DELETE')).toMatchObject({ body: { incidents: 1 } });
  expect([left('old'), left('\ufeffold')]).toEqual([3, 0]);
  const rest = (await server.items('/sessions')) as { sessionId: string }[];
  expect(rest.map(({ sessionId }) => sessionId).sort()).toEqual(['abc', 'old']);
  await server.server.stop();
});

it('erasure: counts the sessions of which there was something', async () => {
  const { memory, log, store, left } = erasingLog();
  const server = await serverOver(log, memory, await folder());
  store('s-1');
  await expect.poll(() => server.items('/sessions')).toHaveLength(1);
  memory.append(topics.events, '{"type":"content","text":"no row yet"}', { key: 's-2' });
  const erased = (id: string) => server.request(`/sessions/${id}`, 'DELETE');
  expect(await erased('never-existed')).toMatchObject({ body: { sessions: 0, incidents: 0, records: 0 } });
  expect(await erased('s-2')).toMatchObject({ body: { sessions: 1, incidents: 0, records: 1 } });
  expect(left('s-2')).toBe(0);
  expect(await erased('s-1')).toMatchObject({ body: { sessions: 1, incidents: 1, records: 3 } });
  expect(await erased('s-1')).toMatchObject({ body: { sessions: 0, incidents: 0, records: 0 } });
  await server.server.stop();
});
