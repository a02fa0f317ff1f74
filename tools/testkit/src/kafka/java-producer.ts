import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { requireJars } from './kafka-runner.ts';

const run = promisify(execFile);

export interface JavaProduceOptions {
  readonly brokers: readonly string[];
  readonly topic: string;
  /** One record each; no line breaks. */
  readonly values: readonly string[];
  readonly compression: 'none' | 'gzip' | 'snappy' | 'lz4' | 'zstd';
}

/**
 * Writes records with Kafka's own Java producer, in batches as large as brokers accept by default, for tests of third-party
 * producers. Takes a second or two.
 *
 * @throws Error with the producer's output when it fails
 */
export async function produceWithJava({
  brokers,
  topic,
  values,
  compression,
}: JavaProduceOptions): Promise<void> {
  const jars = await requireJars();
  const properties = {
    'batch.size': 1_000_000,
    'linger.ms': 2_000,
    'max.request.size': 16_000_000,
    acks: 'all',
  };
  const running = run('java', [
    ...['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-cp', join(jars, '*')],
    ...['org.apache.kafka.tools.ConsoleProducer', '--bootstrap-server', brokers.join(',')],
    ...['--topic', topic, `--compression-codec=${compression}`],
    ...Object.entries(properties).flatMap(([name, value]) => ['--producer-property', `${name}=${value}`]),
  ]);
  running.child.stdin?.end(values.map((value) => `${value}\n`).join(''));
  const { stdout, stderr } = await running;
  // It continues after records that it could not send, and still exits with 0.
  if (/\bERROR\b/.test(stdout + stderr)) throw new Error(`Kafka's producer failed:\n${stdout}${stderr}`);
}
