import { join } from 'node:path';
import { openEmbeddedLog } from '@loopwatch/log';
import { openDatabase } from '@loopwatch/storage';
import { tempDir } from '@loopwatch/testkit';
import { expect, it } from 'vitest';
import { pgliteFolder } from '../../storage/test/pglite-folder.ts';
import { silent, startServer, topics } from './running-server.ts';
import { verdict } from './verdicts.ts';

it('embedded log and database: data survives a restart of the server', async () => {
  await using dir = await tempDir();
  await using data = { path: await pgliteFolder(), [Symbol.asyncDispose]: () => Promise.resolve() };
  const log = await openEmbeddedLog({ dir: join(dir.path), topics: Object.values(topics) });
  const start = () =>
    startServer({
      log: {
        kind: 'embedded',
        reader: (topic) => log.reader(topic),
        records: () => log.records(),
        sink: () => log.sink(),
      },
      openDatabase: () => openDatabase({ data_dir: data.path, database_url: undefined }, silent),
    });
  const incidents = async (url: string): Promise<unknown[]> => {
    const body = (await (await fetch(`${url}/api/v1/incidents`)).json()) as { items: unknown[] };
    return body.items;
  };
  try {
    const sink = log.sink();
    await sink.open();
    const records = [verdict(), verdict({ phase: 'resolved', count: 9 })].map((one) => ({
      topic: topics.verdicts,
      key: one.sessionId,
      value: JSON.stringify(one),
    }));
    await sink.publish(records);

    const first = await start();
    await expect.poll(() => incidents(first.url)).toMatchObject([{ id: 'i-1', state: 'resolved', count: 9 }]);
    const event = { sessionId: 's-1', type: 'content', text: 'hello', time: 1 };
    const posted = await fetch(`${first.url}/api/v1/events`, { method: 'POST', body: JSON.stringify(event) });
    expect(posted.status).toBe(202);
    const [written] = await log.read(topics.events, 0, 10);
    expect(JSON.parse(String(written?.value))).toEqual(event);
    const body = JSON.stringify({ status: 'acknowledged', note: 'seen' });
    const patched = await fetch(`${first.url}/api/v1/incidents/i-1`, { method: 'PATCH', body });
    expect(patched.status).toBe(200);
    await expect.poll(() => log.endOffset(topics.triage)).toBe(1);
    await first.server.stop();

    const second = await start();
    expect(await incidents(second.url)).toMatchObject([{ id: 'i-1', triage: { status: 'acknowledged' } }]);
    await second.server.stop();
  } finally {
    await log.close();
  }
});
