import { tempDir } from '@loopwatch/testkit';
import { onTestFinished } from 'vitest';
import {
  type EmbeddedLog,
  type EmbeddedLogOptions,
  type LogRecord,
  type OutputRecord,
  openEmbeddedLog,
} from '../../src/index.ts';

export const topic = 'loopwatch.events';

/** A folder for the running test. */
export async function folder(): Promise<string> {
  const dir = await tempDir();
  onTestFinished(() => dir.remove());
  return dir.path;
}

/** Opens a log that is closed after the test at the latest. */
export async function openLog(dir: string, options: Partial<EmbeddedLogOptions> = {}): Promise<EmbeddedLog> {
  const log = await openEmbeddedLog({ dir, topics: [topic, 'loopwatch.verdicts'], ...options });
  onTestFinished(() => log.close());
  return log;
}

export async function publish(
  log: EmbeddedLog,
  ...records: readonly (string | OutputRecord)[]
): Promise<void> {
  const sink = log.sink();
  await sink.open();
  await sink.publish(
    records.map((value) => (typeof value === 'string' ? { topic, key: null, value } : value)),
  );
  await sink.close();
}

export async function values(log: EmbeddedLog, name = topic): Promise<string[]> {
  return (await log.read(name, 0, Number.MAX_SAFE_INTEGER)).map(text);
}

export function text({ value }: LogRecord): string {
  return String(value);
}
