import type { Settings, Verdict } from '@loopwatch/contract';
import {
  type CheckHandling,
  type InputRecord,
  LoopPipeline,
  type Outcome,
  silentObserver,
} from '@loopwatch/pipeline';
import { Command } from 'commander';
import { loadConfig } from '../config/load-config.ts';
import { addConfigOptions, type ConfigOptions } from '../config/options.ts';
import { UsageError } from '../errors.ts';
import { BadLines, badLines } from '../events/bad-lines.ts';
import { type Format, formats, parseFormat } from '../events/formats.ts';
import { Progress } from '../events/progress.ts';
import { type Lines, readLines } from '../events/read-lines.ts';
import { answersFor } from '../events/recorded-answers.ts';
import { tellWarnings, writeOut } from '../runtime/output.ts';

interface Options extends ConfigOptions {
  readonly json?: boolean;
  readonly preset?: string;
  readonly format: Format;
  readonly checks?: string;
}

const exitCodes = { none: 0, badInput: 2, loopsFound: 3 } as const;

/** `loopwatch replay FILE…`: what the detectors say of recorded events, offline. */
export function replayCommand(): Command {
  const command = new Command('replay')
    .description('analyses recorded events offline and prints verdicts')
    .argument(
      '<file...>',
      'files of events, one JSON object a line; - for the standard input, .gz is unpacked',
    )
    .option('--json', 'one verdict a line on the standard output, and nothing else there')
    .option('--preset <name>', 'detection preset (default: balanced)')
    .option('--format <name>', `format of the events: ${formats.join(', ')}`, parseFormat, 'canonical')
    .option(
      '--checks <file>',
      'recorded answers of the semantic layer, one JSON object a line: those are not asked again',
    )
    .addHelpText(
      'after',
      '\nExit status: 0 no loop, 3 loops found, 2 bad input (named on the standard error).',
    );
  return addConfigOptions(command).action(async (files: string[], options: Options) => {
    const { settings, warnings } = loadConfig(options, [
      { flag: '--preset', path: 'preset', text: options.preset },
    ]);
    tellWarnings(warnings);
    process.exitCode = await replay(
      files,
      settings,
      options.json === true,
      answersFor(settings, options.checks),
    );
  });
}

async function replay(
  files: readonly string[],
  settings: Settings,
  json: boolean,
  checks: CheckHandling | undefined,
): Promise<number> {
  const bad = new BadLines();
  const progress = new Progress();
  const counts = { events: 0, loops: 0, outages: 0, sessions: new Set<string>(), forgotten: 0 };
  const pipeline = new LoopPipeline(
    settings,
    {
      ...silentObserver,
      event: () => {
        counts.events += 1;
      },
      evicted: (reason) => {
        if (reason === 'lru') counts.forgotten += 1;
      },
      refusedSetting: (sessionId, message) => {
        process.stderr.write(`setting refused in session ${sessionId}: ${message}\n`);
      },
    },
    checks,
  ).partition({ topic: 'replay', partition: 0 });
  let offset = 0;
  for (const file of files) {
    let line = 0;
    let read = 0;
    const lines = readLines(file, (bytes) => {
      read = bytes;
    });
    try {
      for await (const batch of lines) {
        const records = toRecords(batch, offset);
        const first = offset - line;
        offset += batch.length;
        line += batch.length;
        let out = '';
        await pipeline.process(records).forEach((outcome) => {
          out += told(outcome, json, (record, message) => {
            bad.add(file, record.offset - first + 1, message);
          });
          if (outcome.type !== 'verdict' || outcome.verdict.phase !== 'opened') return;
          if (outcome.verdict.kind === 'outage') counts.outages += 1;
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
  }
  progress.clear();
  bad.finish();
  if (counts.forgotten > 0) {
    process.stderr.write(
      `${String(counts.forgotten)} sessions were forgotten early for want of room; raise session.max_sessions\n`,
    );
  }
  if (!json) await writeOut(summaryLine(settings, counts, bad.total, progress.seconds));
  if (bad.total > 0) return exitCodes.badInput;
  return counts.loops > 0 ? exitCodes.loopsFound : exitCodes.none;
}

/** Blank lines are no records, but they count as lines. */
function toRecords(lines: Lines, offset: number): InputRecord[] {
  return lines.flatMap((text, i) =>
    text.trim() === '' ? [] : [{ offset: offset + i, timestamp: null, key: null, text }],
  );
}

function told(
  outcome: Outcome,
  json: boolean,
  onBad: (record: InputRecord, message: string) => void,
): string {
  if (outcome.type === 'verdict')
    return json ? `${JSON.stringify(outcome.verdict)}\n` : verdictLine(outcome.verdict);
  onBad(outcome.record, outcome.message);
  return '';
}

function verdictLine(verdict: Omit<Verdict, 'detectedAt'>): string {
  const { phase, detector, sessionId, eventIndex, reason, action } = verdict;
  const what = phase === 'resolved' ? (verdict.outcome ?? '') : action;
  return `${phase.padEnd(9)} ${detector.padEnd(14)} ${what.padEnd(9)} ${sessionId} at event ${String(eventIndex)}: ${reason}\n`;
}

function summaryLine(
  settings: Settings,
  counts: { events: number; loops: number; outages: number; sessions: ReadonlySet<string> },
  bad: number,
  seconds: number,
): string {
  const loops = counts.loops === 1 ? '1 loop' : `${String(counts.loops)} loops`;
  const outages = counts.outages === 1 ? ', 1 outage' : `, ${String(counts.outages)} outages`;
  const badText = bad === 0 ? '' : `, ${badLines(bad)}`;
  return (
    `${loops} in ${String(counts.sessions.size)} sessions${counts.outages === 0 ? '' : outages}; ${String(counts.events)} events${badText} ` +
    `in ${seconds.toFixed(1)} s, preset ${settings.preset}\n`
  );
}
