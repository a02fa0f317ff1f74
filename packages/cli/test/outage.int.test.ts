import {
  type CliProcess,
  freePort,
  readTopic,
  spawnCli,
  startKafka,
  type TestKafka,
  tempDir,
  waitFor,
} from '@loopwatch/testkit';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { dataDir, loop, produce, runServer, untilThereAre } from '../../server/test/server-runs.ts';
import { runGateway, typesIn } from './gateway-runs.ts';
import { fileOf, interleavedSamples, ownTopics, publishedIds, replayed, worker } from './worker-runs.ts';

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
  let kafka: TestKafka;
  beforeAll(async () => {
    kafka = await startKafka({ own: true, quickStart: true });
  });
  afterAll(() => kafka.stop());

  it('broker outage: each long-running command logs two lines and continues', {
    timeout: 300_000,
  }, async () => {
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
    for (const { process, up } of commands) await process.line(up);
    const before = commands.map(({ process }) => process.stdout.length);
    await kafka.stopBroker();
    const unavailable = new RegExp(
      `Kafka is unavailable at ${kafka.brokers.join()}: connection (refused|closed); retrying`,
    );
    for (const { process } of commands) await process.line(unavailable);
    await kafka.startBroker();
    for (const [i, { process }] of commands.entries()) {
      await process.line(/Kafka is reachable again after \d+ s/);
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

  it('worker: waits for an unavailable broker and misses nothing', async () => {
    const { topics, env } = await ownTopics(kafka.brokers, 1);
    const lines = interleavedSamples();
    const half = Math.floor(lines.length / 2);
    const whole = await fileOf(lines);
    const [one, two] = [await fileOf(lines.slice(0, half)), await fileOf(lines.slice(half))];
    const expected = await replayed(whole);
    const running = await worker(env);
    expect(await spawnCli(['produce', one], env).exited).toBe(0);
    await readTopic(kafka.brokers, topics.verdicts, { count: 1 });
    await kafka.stopBroker();
    await running.line(/Kafka is unavailable/);
    await kafka.startBroker();
    await running.line(/Kafka is reachable again/);
    expect(await spawnCli(['produce', two], env).exited).toBe(0);
    const ids = await publishedIds(kafka.brokers, topics.verdicts, expected.length);
    expect(ids.toSorted()).toEqual(expected.toSorted());
    expect(await running.stop()).toBe(0);
  });

  it('gateway with Kafka: fails no request during outages, and publishes everything afterwards', async () => {
    const { topics, env } = await ownTopics(kafka.brokers, 1);
    await kafka.stopBroker();
    const gateway = await runGateway(env);
    expect(await gateway.asks('s-1', 4)).toEqual(['tool_calls', 'tool_calls', 'tool_calls', 'error']);
    await waitFor(async () => !(await gateway.checks())['log']?.ok);
    expect((await gateway.checks())['settings']?.ok).toBe(false);
    expect(await gateway.metric('loopwatch_gateway_buffered_records')).toBe(15);
    await kafka.startBroker();
    expect(await typesIn(kafka.brokers, topics.events, 14)).toHaveLength(14);
    await waitFor(async () => (await gateway.checks())['settings']?.ok === true);

    await kafka.stopBroker();
    expect(await gateway.asks('s-2', 4)).toEqual(['tool_calls', 'tool_calls', 'tool_calls', 'error']);
    await waitFor(async () => !(await gateway.checks())['log']?.ok);
    await kafka.startBroker();
    const events = await typesIn(kafka.brokers, topics.events, 28);
    const of = (session: string) =>
      events.filter((event) => event.session === session).map(({ type }) => type);
    expect(of('s-2')).toEqual(of('s-1'));
    await waitFor(async () => (await gateway.checks())['log']?.ok === true);
    expect(await gateway.cli.stop()).toBe(0);
    const verdicts = await readTopic(kafka.brokers, topics.verdicts);
    expect(verdicts.map(({ key }) => key)).toEqual(['s-1', 's-2']);
  });

  it('server on Kafka: reports an outage, serves stored data, and catches up afterwards', async () => {
    const { env } = await ownTopics(kafka.brokers, 1);
    await worker(env);
    const server = await runServer(env, '--data-dir', await dataDir());
    await produce(loop('before'), env);
    await untilThereAre(server, '/incidents', 1);
    expect((await server.readiness()).status).toBe(200);

    await kafka.stopBroker();
    const down = await waitFor(
      async () => {
        const readiness = await server.readiness();
        return readiness.status === 503 && readiness;
      },
      { timeoutMs: 60_000 },
    );
    expect(down.checks).toMatchObject({ database: { ok: true }, verdicts: { ok: false } });
    expect(down.checks['verdicts']?.detail).toMatch(/\S+ \S+/);
    expect(await server.all('/incidents')).toHaveLength(1);
    const event = { sessionId: 's', type: 'session_ended' };
    expect(await server.send('POST', '/events', event)).toBe(503);
    const [incident] = await server.all('/incidents');
    // A decision is taken now, and told to Kafka when there is one again.
    expect(
      await server.send('PATCH', `/incidents/${String(incident?.['id'])}`, { status: 'acknowledged' }),
    ).toBe(200);

    await kafka.startBroker();
    await produce(loop('after'), env);
    await untilThereAre(server, '/incidents', 2);
    await waitFor(async () => (await server.readiness()).status === 200);
    expect(await server.stop()).toBe(0);
    const restarted = await runServer(env, '--data-dir', await dataDir());
    const path = `/incidents/${String(incident?.['id'])}`;
    await untilThereAre(restarted, '/incidents', 2);
    await waitFor(
      async () =>
        (await restarted.get<{ triage: { status: string } }>(path)).triage.status === 'acknowledged',
      { timeoutMs: 60_000 },
    );
  });
});

describe('a worker without a broker', () => {
  it('worker without a broker: waits, logs why, and exits at once on a signal', async () => {
    const brokers = `127.0.0.1:${String(await freePort())}`;
    const port = String(await freePort());
    const worker = started(['worker', '--port', port], {
      KAFKA_BROKERS: brokers,
    });
    await worker.line(/Kafka is unavailable at .*: connection refused; retrying/);
    const ask = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
    expect((await ask('/healthz')).status).toBe(200);
    const ready = await ask('/readyz');
    expect(ready.status).toBe(503);
    expect(await ready.text()).toContain(`Kafka is unavailable at ${brokers}: connection refused`);
    expect(troubles(said(worker)).length).toBeLessThanOrEqual(1);
    expect(await worker.stop()).toBe(0);
  });
});
