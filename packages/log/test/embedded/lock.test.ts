import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { folder, openLog, publish, values } from './harness.ts';

/** Another process that holds the log in a folder and has written one record. */
async function holder(dir: string) {
  const script = `
    import { openEmbeddedLog } from ${JSON.stringify(new URL('../../src/index.ts', import.meta.url).href)};
    const log = await openEmbeddedLog({ dir: ${JSON.stringify(dir)}, topics: ['loopwatch.events', 'loopwatch.verdicts'] });
    const sink = log.sink();
    await sink.open();
    await sink.publish([{ topic: 'loopwatch.events', key: null, value: 'from the other' }]);
    console.log('held');
    setInterval(() => undefined, 1_000);
  `;
  const node = ['--import', 'tsx', '--conditions=@loopwatch/source', '--input-type=module', '--eval', script];
  const child = spawn(process.execPath, node, {
    cwd: fileURLToPath(new URL('../../../..', import.meta.url)),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(createInterface({ input: child.stdout }), 'line');
  return child;
}

describe('EmbeddedLog: folder lock', () => {
  it('lets a process open a folder once, and again after closing it', async () => {
    const dir = await folder();
    const log = await openLog(dir);
    await expect(openLog(dir)).rejects.toMatchObject({ code: 'data_dir_locked' });
    await log.close();
    await openLog(dir);
  });

  it('names the folder, the process that holds it and what to do', async () => {
    const dir = await folder();
    const child = await holder(dir);
    await expect(openLog(dir)).rejects.toMatchObject({
      code: 'data_dir_locked',
      message: expect.stringMatching(
        new RegExp(`${dir}/log is in use by process ${String(child.pid)}.*KAFKA_BROKERS.*DATABASE_URL`),
      ) as string,
    });
  });

  it('is taken over at once from a killed process, whose records are kept', async () => {
    const dir = await folder();
    const child = await holder(dir);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const started = performance.now();
    const log = await openLog(dir);
    // Sooner than the ten seconds after which a lock expires.
    expect(performance.now() - started).toBeLessThan(9_000);
    await publish(log, 'mine');
    expect(await values(log)).toEqual(['from the other', 'mine']);
  });
});
