import { type CliProcess, freePort, spawnCli, startKafka, tempDir } from '@loopwatch/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ownTopics } from './worker-runs.ts';

/** Lines of the log, at level info and above. */
const said = ({ stdout }: CliProcess) =>
  stdout.map((line) => JSON.parse(line) as { readonly level: string; readonly msg: string });

const troubles = (lines: readonly { readonly level: string; readonly msg: string }[]) =>
  lines.filter(({ level, msg }) => level !== 'info' || msg.startsWith('Kafka'));

function started(args: readonly string[], env: Record<string, string>): CliProcess {
  const process = spawnCli(args, env);
  onTestFinished(async () => {
    await process.stop('SIGKILL');
  });
  return process;
}

describe('a broker restart', () => {
  it('broker outage: each long-running command logs two lines and continues', {
    timeout: 300_000,
  }, async () => {
    const kafka = await startKafka({ own: true });
    onTestFinished(() => kafka.stop());
    const { env } = await ownTopics(kafka.brokers);
    const dir = await tempDir();
    onTestFinished(() => dir.remove());
    const folder = (name: string) => ['--data-dir', `${dir.path}/${name}`, '--port', '0'];
    const upstream = ['--upstream', 'http://127.0.0.1:9/v1'];
    const commands = [
      { process: started(['worker', '--port', '0'], env), up: /Watching / },
      { process: started(['server', ...folder('server')], env), up: /Loopwatch .* is at / },
      { process: started(['start', ...folder('start')], env), up: /Loopwatch .* is at / },
      { process: started(['gateway', ...folder('gateway'), ...upstream], env), up: /The gateway is at / },
    ];
    for (const { process, up } of commands) await process.line(up, 90_000);
    const before = commands.map(({ process }) => process.stdout.length);
    await kafka.stopBroker();
    const unavailable = new RegExp(
      `Kafka is unavailable at ${kafka.brokers.join()}: connection (refused|closed); retrying`,
    );
    for (const { process } of commands) await process.line(unavailable, 60_000);
    await kafka.startBroker();
    for (const [i, { process }] of commands.entries()) {
      await process.line(/Kafka is reachable again after \d+ s/, 90_000);
      const lines = troubles(said(process).slice(before[i]));
      // The first failure may be logged before the outage is detected.
      expect(lines.length, JSON.stringify(lines)).toBeLessThanOrEqual(5);
      expect(lines.some(({ msg }) => msg.includes('kafkajs'))).toBe(false);
    }
    for (const { process } of commands) {
      expect(await process.stop()).toBe(0);
      expect(process.stderr).toEqual([]);
    }
  });
});

describe('a worker without a broker', () => {
  it('worker without a broker: waits, logs why, and exits at once on a signal', async () => {
    const brokers = `127.0.0.1:${String(await freePort())}`;
    const port = String(await freePort());
    const worker = started(['worker', '--port', port], {
      KAFKA_BROKERS: brokers,
    });
    await worker.line(/Kafka is unavailable at .*: connection refused; retrying/, 60_000);
    const ask = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
    expect((await ask('/healthz')).status).toBe(200);
    const ready = await ask('/readyz');
    expect(ready.status).toBe(503);
    expect(await ready.text()).toContain(`Kafka is unavailable at ${brokers}: connection refused`);
    expect(troubles(said(worker)).length).toBeLessThanOrEqual(1);
    expect(await worker.stop()).toBe(0);
  });
});
