import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedLog } from '@loopwatch/log';
import { expect, it } from 'vitest';
import { startServer, topics } from './running-server.ts';
import { verdict } from './verdicts.ts';

it('a server over the embedded log knows after a restart what it knew before', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'loopwatch-server-'));
  const log = await openEmbeddedLog({ dir, topics: Object.values(topics) });
  const start = () => startServer({ verdicts: log.source([topics.verdicts], 'server'), events: log.sink() });
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
    await first.server.stop();

    const second = await start();
    await expect.poll(() => incidents(second.url)).toHaveLength(1);
    await second.server.stop();
  } finally {
    await log.close();
    rmSync(dir, { recursive: true });
  }
});
