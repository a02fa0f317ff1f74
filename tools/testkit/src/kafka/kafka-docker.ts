import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';
import { freePort } from '../ports.ts';
import type { BrokerProcess, BrokerRunner } from './broker-process.ts';
import { kafkaVersion } from './kafka-jars.ts';

const run = promisify(execFile);

async function docker(...args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await run('docker', args, { maxBuffer: 64 * 1024 * 1024 });
  return stdout + stderr;
}

function settings(port: number): Readonly<Record<string, string>> {
  return {
    KAFKA_PROCESS_ROLES: 'broker,controller',
    KAFKA_NODE_ID: '1',
    KAFKA_CONTROLLER_QUORUM_VOTERS: '1@localhost:9093',
    KAFKA_LISTENERS: `PLAINTEXT://:${port},CONTROLLER://:9093`,
    KAFKA_ADVERTISED_LISTENERS: `PLAINTEXT://127.0.0.1:${port}`,
    KAFKA_CONTROLLER_LISTENER_NAMES: 'CONTROLLER',
    KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
    KAFKA_AUTO_CREATE_TOPICS_ENABLE: 'false',
    KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS: '0',
    KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: '1',
    KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR: '1',
    KAFKA_TRANSACTION_STATE_LOG_MIN_ISR: '1',
    KAFKA_HEAP_OPTS: '-Xmx512m',
  };
}

/** A broker in a container of the official Apache Kafka image; stopping and starting keep the container and so its data. */
export async function dockerRunner(): Promise<BrokerRunner> {
  const port = await freePort();
  const environment = Object.entries(settings(port)).flatMap(([name, value]) => [
    '--env',
    `${name}=${value}`,
  ]);
  const created = await docker(
    'create',
    '--publish',
    `127.0.0.1:${port}:${port}`,
    ...environment,
    `apache/kafka:${kafkaVersion}`,
  );
  const container = created.trim().split('\n').at(-1) ?? '';
  const removeNow = () => {
    execFileSync('docker', ['rm', '--force', container], { stdio: 'ignore' });
  };
  process.once('exit', removeNow);
  return {
    address: `127.0.0.1:${port}`,
    launch: () => launch(container),
    dispose: async () => {
      process.off('exit', removeNow);
      await docker('rm', '--force', container);
    },
  };
}

async function launch(container: string): Promise<BrokerProcess> {
  const command = async (...words: readonly string[]) => {
    await docker(...words, container);
  };
  await command('start');
  return {
    exited: docker('wait', container).then(() => undefined),
    suspend: () => command('pause'),
    resume: () => command('unpause'),
    stop: () => command('stop', '--time', '15'),
    kill: () => command('kill'),
    output: () => docker('logs', container),
  };
}
