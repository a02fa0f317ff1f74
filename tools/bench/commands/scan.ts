import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tempDir } from '@loopwatch/testkit';
import { type Figures, median, progress, rounded } from '../measure.ts';
import { writeTranscripts } from './transcripts.ts';

const ROUNDS = 3;
/** Of the recorded files: 162 MB, so that starting and warming up hardly count. */
const COPIES = 12;
const MANY_COPIES = 24;

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const bin = here('../../../packages/cli/bin/loopwatch.js');

/** Processor time and largest resident memory of a command. */
interface Usage {
  readonly cpuMs: number;
  readonly residentBytes: number;
}

/**
 * `loopwatch scan` of a folder of Claude Code's session files (without recordings, generated ones), as built, compared with
 * reading the files and `JSON.parse` of each line, in turn. Both are processes of their own; processor time counts.
 */
export async function scan(full: boolean): Promise<Figures[]> {
  await using dir = await tempDir();
  const folder = join(dir.path, 'transcripts');
  mkdirSync(folder);
  const { files, bytes, traffic } = writeTranscripts(folder, full ? MANY_COPIES : COPIES);
  const usageFile = join(dir.path, 'usage.json');
  const scans: Usage[] = [];
  const parses: Usage[] = [];
  let report = { events: 0, sessions: 0, loops: 0 };
  for (let round = 0; round < ROUNDS; round += 1) {
    progress(`scan: ${String(Math.round(bytes / 1e6))} MB, round ${String(round + 1)} of ${String(ROUNDS)}`);
    const scanned = run([bin, 'scan', '--json', folder], usageFile);
    report = JSON.parse(scanned.output) as typeof report;
    scans.push(scanned.usage);
    parses.push(run([here('./parse-lines.mjs'), folder], usageFile).usage);
  }
  const cpuMs = median(scans.map((one) => one.cpuMs));
  return [
    {
      bench: 'scan of session files, compared with JSON.parse of their lines',
      traffic,
      files,
      megabytes: Math.round(bytes / 1e6),
      sessions: report.sessions,
      events: report.events,
      loops: report.loops,
      megabytesPerSecond: rounded(bytes / 1000 / cpuMs),
      eventsPerSecond: Math.round((report.events * 1000) / cpuMs),
      parseMegabytesPerSecond: rounded(bytes / 1000 / median(parses.map((one) => one.cpuMs))),
      residentMiB: mebibytes(scans),
      parseResidentMiB: mebibytes(parses),
      ratio: rounded(median(scans.map((one, i) => (parses[i]?.cpuMs ?? 0) / one.cpuMs))),
      // Generated records are shorter, so that less of the time is spent on parsing them.
      required: traffic === 'recorded' ? '>= 0.15' : 'nothing',
    },
  ];
}

function run(args: readonly string[], usageFile: string): { output: string; usage: Usage } {
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--import', here('./usage.mjs'), ...args], {
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '', BENCH_USAGE: usageFile },
    maxBuffer: 64 * 1024 * 1024,
  });
  // 3: loops found.
  if (status !== 0 && status !== 3)
    throw new Error(`${args.join(' ')} ended with ${String(status)}: ${stderr}`);
  return { output: stdout, usage: JSON.parse(readFileSync(usageFile, 'utf8')) as Usage };
}

function mebibytes(usages: readonly Usage[]): number {
  return Math.round(median(usages.map(({ residentBytes }) => residentBytes)) / 2 ** 20);
}
