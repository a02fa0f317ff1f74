import { topicNames } from '@loopwatch/contract';
import type { OutputRecord } from '@loopwatch/log';
import { type Command, InvalidArgumentError } from 'commander';
import { loadConfig } from '../config/load-config.ts';
import { addConfigOptions, type ConfigOptions } from '../config/options.ts';
import { UsageError } from '../errors.ts';
import { BadLines } from '../events/bad-lines.ts';
import { EventStamper } from '../events/event-stamper.ts';
import { type FormatChoice, formatHelp, parseFormat } from '../events/formats.ts';
import { IgnoredTypes } from '../events/ignored-types.ts';
import { Pace } from '../events/pace.ts';
import { Progress } from '../events/progress.ts';
import { type FileRecord, RecordReader } from '../events/read-records.ts';
import { kafkaSink, requireBrokers } from '../kafka/options.ts';
import { counted } from '../runtime/counted.ts';
import { silentLogger } from '../runtime/logger.ts';
import { printWarnings, writeError } from '../runtime/output.ts';
import { describedCommand } from './summaries.ts';

interface Options extends ConfigOptions {
  readonly brokers?: string;
  readonly topic?: string;
  readonly speed: number;
  readonly rate?: number;
  readonly format: FormatChoice;
}

/** Records per batch: enough for throughput, few enough for one Kafka request. */
const BATCH_RECORDS = 2000;
const BATCH_UNITS = 500_000;

/** `loopwatch produce FILE…`: recorded events to Kafka. */
export function produceCommand(): Command {
  const command = describedCommand('produce')
    .argument('<file...>', 'event or session files; - reads standard input; gzip and zstd are decompressed')
    .option('--brokers <list>', 'comma-separated bootstrap servers, host:port (default: KAFKA_BROKERS)')
    .option('--topic <name>', 'topic to send to (default: the events topic)')
    .option(
      '--speed <n>',
      '1: at the recorded pace, 2: twice as fast, 0: as fast as possible',
      parsePositive,
      0,
    )
    .option('--rate <n>', 'maximum events per second', parsePositive)
    .option('--format <name>', formatHelp, parseFormat, 'auto');
  return addConfigOptions(command).action(async (files: string[], options: Options) => {
    const { settings, warnings } = loadConfig(options, [
      { flag: '--brokers', path: 'kafka.brokers', text: options.brokers },
    ]);
    printWarnings(warnings);
    const brokers = requireBrokers(settings);
    const topic = options.topic ?? topicNames(settings.kafka.topics).events;
    const sink = kafkaSink(settings, silentLogger());
    await sink.open();
    const bad = new BadLines();
    const progress = new Progress();
    const stamper = new EventStamper(settings);
    const pace = new Pace(options.speed, options.rate);
    const { signal } = untilInterrupted();
    let sent = 0;
    let waiting: OutputRecord[] = [];
    let units = 0;
    const flush = async (): Promise<void> => {
      if (waiting.length > 0) await sink.publish(waiting);
      sent += waiting.length;
      waiting = [];
      units = 0;
      progress.show(
        () => `${counted(sent, 'event')} sent, ${(sent / progress.seconds).toFixed(0)} per second`,
      );
    };
    const send = async (text: string, file: string, line: number): Promise<void> => {
      if (signal.aborted) return;
      const event = stamper.stamp(text);
      if (!event.ok) {
        bad.add(file, line, event.message);
        return;
      }
      const pause = pace.pauseBefore(event.time);
      if (pause > 0) {
        await flush();
        await pace.wait(pause, signal);
      }
      waiting.push({ topic, key: event.sessionId, value: event.value });
      units += event.value.length;
      if (waiting.length >= BATCH_RECORDS || units >= BATCH_UNITS) await flush();
    };
    const reader = new RecordReader(options.format);
    const ignored = new IgnoredTypes();
    try {
      for (const file of files) {
        try {
          for await (const records of reader.read(file, { isLast: file === files.at(-1) })) {
            for (const record of records) {
              ignored.add(record.ignored);
              for (const { message } of record.faults) bad.add(file, record.line, message);
              for (const text of eventTexts(record)) await send(text, file, record.line);
            }
            if (signal.aborted) break;
          }
        } catch (error) {
          if (signal.aborted) break;
          if (!(error instanceof UsageError)) throw error;
          bad.add(file, 0, error.message);
        }
      }
      await flush();
    } finally {
      await sink.close();
    }
    progress.clear();
    bad.finish();
    if (ignored.total > 0) writeError(`ignored: ${String(ignored)}\n`);
    writeError(`${counted(sent, 'event')} sent to ${topic} on ${brokers.join(',')}\n`);
    process.exitCode = bad.total > 0 || sent === 0 ? 2 : 0;
    if (signal.aborted) process.exit(INTERRUPTED);
  });
}

/** The status of a program that SIGINT has ended. */
const INTERRUPTED = 130;

/** Aborted by SIGINT or SIGTERM: what was read is sent and counted then. A second signal ends the process at once. */
function untilInterrupted(): AbortController {
  const interrupted = new AbortController();
  const stop = (): void => {
    interrupted.abort();
    // Its next line may never come.
    process.stdin.destroy();
  };
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, stop);
  return interrupted;
}

/** The events to send; canonical events keep the text of their producer. */
function eventTexts({ isCanonical, text, events }: FileRecord): string[] {
  return isCanonical && text !== undefined ? [text] : events.map((event) => JSON.stringify(event));
}

function parsePositive(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value < 0) throw new InvalidArgumentError('Expected a number, 0 or more.');
  return value;
}
