import { isEventType, type Settings, type Verdict } from '@loopwatch/contract';
import { maskPatterns, maskSecrets, oneLine } from '@loopwatch/detectors/internal';
import { utcText } from '@loopwatch/platform';
import {
  type CheckHandling,
  type InputRecord,
  LoopPipeline,
  type Outcome,
  silentObserver,
} from '@loopwatch/worker/stream';
import type { Command } from 'commander';
import { loadConfig } from '../config/load-config.ts';
import { addConfigOptions, type ConfigOptions } from '../config/options.ts';
import { UsageError } from '../errors.ts';
import { BadLines, formatBadLines } from '../events/bad-lines.ts';
import { type FormatChoice, formatHelp, parseFormat } from '../events/formats.ts';
import { IgnoredTypes } from '../events/ignored-types.ts';
import { Progress } from '../events/progress.ts';
import { type FileRecord, RecordReader } from '../events/read-records.ts';
import { checkHandlingFor } from '../events/recorded-answers.ts';
import { type NotUnderstood, notUnderstoodText, UnderstoodRecords } from '../events/understood.ts';
import { printableJson, printWarnings, writeError, writeOut } from '../runtime/output.ts';
import { formatCount } from '../scan/format-values.ts';
import { describedCommand } from './summaries.ts';

interface Options extends ConfigOptions {
  readonly json?: boolean;
  readonly preset?: string;
  readonly format: FormatChoice;
  readonly checks?: string;
}

const exitCodes = { none: 0, badInput: 2, loopsFound: 3, notUnderstood: 4 } as const;

/** `loopwatch replay FILE…`: runs the detectors on recorded events, offline. */
export function replayCommand(): Command {
  const command = describedCommand('replay')
    .argument('<file...>', 'event or session files; - reads standard input; gzip and zstd are decompressed')
    .option('--json', 'print one verdict per line on stdout, and nothing else there')
    .option('--preset <name>', 'detection preset (default: balanced)')
    .option('--format <name>', formatHelp, parseFormat, 'auto')
    .option('--checks <file>', 'recorded semantic checks, one JSON object per line; their answers are reused')
    .addHelpText(
      'after',
      '\nExit status: 0 no loop, 3 loops found, 2 bad input, 4 most records not understood (both reported on stderr).',
    );
  return addConfigOptions(command).action(async (files: string[], options: Options) => {
    const { settings, warnings } = loadConfig(options, [
      { flag: '--preset', path: 'preset', text: options.preset },
    ]);
    printWarnings(warnings);
    const checks = await checkHandlingFor(settings, options.checks);
    process.exitCode = await replay(files, settings, options, checks);
  });
}

async function replay(
  files: readonly string[],
  settings: Settings,
  { json = false, format }: Options,
  checks: CheckHandling | undefined,
): Promise<number> {
  const bad = new BadLines();
  const progress = new Progress();
  const ignored = new IgnoredTypes();
  const counts = {
    events: 0,
    evaluated: 0,
    calls: 0,
    loops: 0,
    limits: 0,
    outages: 0,
    sessions: new Set<string>(),
    evicted: 0,
  };
  const pipeline = new LoopPipeline(
    settings,
    {
      ...silentObserver,
      event: (type) => {
        counts.events += 1;
        if (isEventType(type)) counts.evaluated += 1;
        if (type === 'tool_call_request') counts.calls += 1;
      },
      evicted: (reason) => {
        if (reason === 'lru') counts.evicted += 1;
      },
      refusedSetting: (sessionId, message) => {
        const masked = maskSecrets(message, maskPatterns(settings.privacy.mask), () => undefined);
        writeError(`setting rejected in session ${sessionId}: ${masked}\n`);
      },
    },
    checks,
  ).partition({ topic: 'replay', partition: 0 });
  const reader = new RecordReader(format);
  const offsets = new LineOffsets();
  const notUnderstood: NotUnderstood[] = [];
  for (const file of files) {
    let read = 0;
    const understood = new UnderstoodRecords();
    const onBytes = (bytes: number) => {
      read = bytes;
    };
    const batches = reader.read(file, { onBytes, isLast: file === files.at(-1) });
    offsets.beginFile();
    try {
      for await (const batch of batches) {
        for (const record of batch) {
          offsets.reach(record.line);
          ignored.add(record.ignored);
          understood.add(record);
        }
        let out = '';
        await pipeline.process(toRecords(batch, offsets), 'skip').forEach((outcome) => {
          out += outputOf(outcome, json, (record, message) => {
            bad.add(file, record.line, message);
          });
          if (outcome.type !== 'verdict' || outcome.verdict.phase !== 'opened') return;
          if (outcome.verdict.kind === 'outage') counts.outages += 1;
          else if (outcome.verdict.kind === 'limit') counts.limits += 1;
          else {
            counts.loops += 1;
            counts.sessions.add(outcome.verdict.sessionId);
          }
        });
        if (out !== '') {
          progress.clear();
          await writeOut(out);
        }
        progress.show(() => `${file}: ${String(counts.events)} events, ${(read / 1e6).toFixed(1)} MB read`);
      }
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      bad.add(file, 0, error.message);
    }
    const verdict = understood.verdictOn(file);
    if (verdict !== undefined) notUnderstood.push(verdict);
  }
  progress.clear();
  bad.finish();
  for (const verdict of notUnderstood) writeError(`${notUnderstoodText(verdict)}\n`);
  if (counts.evicted > 0) {
    const evicted = formatCount(counts.evicted, 'session');
    writeError(`evicted ${evicted} early to limit memory; raise session.max_sessions\n`);
  }
  if (json && ignored.total > 0) writeError(`ignored: ${String(ignored)}\n`);
  // Nothing was read: the error says all.
  if (bad.files === files.length && counts.events === 0) return exitCodes.badInput;
  if (!json)
    await writeOut(summaryLine(settings, { ...counts, ignored: String(ignored) }, bad, progress.seconds));
  if (bad.total > 0) return exitCodes.badInput;
  if (counts.evaluated === 0) {
    writeError(`${nothingEvaluated(files, ignored.total)}\n`);
    return exitCodes.badInput;
  }
  if (counts.calls + counts.loops === 0) writeError('no tool calls were read: only texts were compared\n');
  if (notUnderstood.length > 0) return exitCodes.notUnderstood;
  return counts.loops > 0 ? exitCodes.loopsFound : exitCodes.none;
}

/** An event of a line, with an offset of its own: a line may hold several events. */
interface LineRecord extends InputRecord {
  readonly line: number;
}

/** Offsets of events: the number of their line among all lines, or one more than the previous event's. */
class LineOffsets {
  #last = -1;
  #fileStart = 0;
  #lines = 0;

  beginFile(): void {
    this.#fileStart += this.#lines;
    this.#lines = 0;
  }

  /** Lines of the file read so far. */
  reach(line: number): void {
    this.#lines = line;
  }

  next(line: number): number {
    this.#last = Math.max(this.#last + 1, this.#fileStart + line - 1);
    return this.#last;
  }
}

function toRecords(batch: readonly FileRecord[], offsets: LineOffsets): LineRecord[] {
  return batch.flatMap(({ line, events, faults }) => {
    const record = () => ({ line, offset: offsets.next(line), timestamp: null, key: null, text: null });
    return [
      ...events.map((event) => ({ ...record(), event })),
      ...faults.map((rejection) => ({ ...record(), rejection })),
    ];
  });
}

function nothingEvaluated(files: readonly string[], ignored: number): string {
  const source = files.length === 1 ? String(files[0]) : `these ${String(files.length)} files`;
  return ignored === 0
    ? `nothing to evaluate: no events in ${source}`
    : `nothing to evaluate: all ${String(ignored)} records in ${source} are of types that loop detection ignores; if the format was not recognized, name it with --format`;
}

function outputOf(
  outcome: Outcome<LineRecord>,
  json: boolean,
  onBad: (record: LineRecord, message: string) => void,
): string {
  if (outcome.type === 'verdict')
    return json ? `${printableJson(outcome.verdict)}\n` : verdictLine(outcome.verdict);
  if (outcome.type === 'dead_letter') onBad(outcome.record, outcome.message);
  return '';
}

function verdictLine(verdict: Omit<Verdict, 'detectedAt'>): string {
  const { phase, detector, sessionId, eventIndex, time, reason, action } = verdict;
  const what = phase === 'resolved' ? (verdict.outcome ?? '') : action;
  // A session that pauses for long starts over, so the index alone does not say which of its days it was.
  const at = `at event ${String(eventIndex)}${time > 0 ? `, ${utcText(time)}` : ''}`;
  return `${oneLine(`${phase.padEnd(9)} ${detector.padEnd(14)} ${what.padEnd(9)} ${sessionId} ${at}: ${reason}`)}\n`;
}

function summaryLine(
  settings: Settings,
  counts: {
    events: number;
    loops: number;
    limits: number;
    outages: number;
    sessions: ReadonlySet<string>;
    ignored: string;
  },
  bad: BadLines,
  seconds: number,
): string {
  const sessions = counts.loops === 0 ? '' : ` in ${formatCount(counts.sessions.size, 'session')}`;
  const limits = counts.limits === 0 ? '' : `, ${formatCount(counts.limits, 'limit')}`;
  const outages = counts.outages === 0 ? '' : `, ${formatCount(counts.outages, 'outage')}`;
  const lines = bad.total - bad.files;
  const badText =
    (lines === 0 ? '' : `, ${formatBadLines(lines)}`) +
    (bad.files === 0 ? '' : `, ${formatCount(bad.files, 'unreadable file')}`);
  const ignoredText = counts.ignored === '' ? '' : ` (ignored: ${oneLine(counts.ignored)})`;
  return (
    `${formatCount(counts.loops, 'loop')}${sessions}${limits}${outages}; ${formatCount(counts.events, 'event')}${badText}${ignoredText} ` +
    `in ${seconds.toFixed(1)} s, preset ${settings.preset}\n`
  );
}
