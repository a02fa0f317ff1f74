import { type CliProcess, spawnCli, startScriptedUpstream, tempDir } from '@loopwatch/testkit';
import kafkajs from 'kafkajs';
import { expect, inject, it, onTestFinished } from 'vitest';
import { invalidSettings, warning } from './invalid-settings.ts';
import { ownTopics } from './worker-runs.ts';

it('control topic with bad settings: worker, server and gateway start, and report the rejected ones', async () => {
  const brokers = inject('kafkaBrokers');
  const { topics, env } = await ownTopics(brokers);
  const kafka = new kafkajs.Kafka({ brokers, logLevel: kafkajs.logLevel.NOTHING });
  const producer = kafka.producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner });
  await producer.connect();
  onTestFinished(() => producer.disconnect());
  const messages = invalidSettings.map(([key, value]) => ({ key, value }));
  await producer.send({ topic: topics.control, messages });
  await using dir = await tempDir();
  await using upstream = await startScriptedUpstream(() => ({ json: {} }));
  const folder = (name: string) => ['--port', '0', '--data-dir', `${dir.path}/${name}`];
  const started = (args: readonly string[]): CliProcess => {
    const process = spawnCli(args, env);
    onTestFinished(async () => {
      await process.stop('SIGKILL');
    });
    return process;
  };
  const commands = [
    { process: started(['worker', '--port', '0']), up: /Watching / },
    { process: started(['server', ...folder('server')]), up: /Loopwatch .* is at / },
    {
      process: started(['gateway', '--upstream', upstream.url, ...folder('gateway')]),
      up: /The gateway is at /,
    },
  ];
  for (const { process, up } of commands) {
    await process.line(up);
    await process.line(warning);
    expect(await process.stop()).toBe(0);
  }
}, 300_000);
