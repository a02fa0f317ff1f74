import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf } from '@loopwatch/contract';
import { timeFromText } from '@loopwatch/contract/internal';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { loadConfig } from '../config/load-config.ts';
import { addConfigOptions, type ConfigOptions } from '../config/options.ts';
import { UsageError } from '../errors.ts';
import { BadLines } from '../events/bad-lines.ts';
import { type FormatChoice, formatHelp, parseFormat } from '../events/formats.ts';
import { Progress } from '../events/progress.ts';
import { durationMs } from '../runtime/duration.ts';
import { printableJson, printWarnings, writeError, writeOut } from '../runtime/output.ts';
import { writeWhole } from '../runtime/write-whole.ts';
import { findSources, findSourcesAt, type Source } from '../scan/find-sources.ts';
import { formatBytes, formatCount } from '../scan/format-values.ts';
import { knownHistories, scannedAgents } from '../scan/histories.ts';
import { reportPage } from '../scan/report-page.ts';
import { reportText } from '../scan/report-text.ts';
import { Scan } from '../scan/scan.ts';
import type { ScanReport } from '../scan/scan-report.ts';
import { showInDashboard } from '../scan/show-in-dashboard.ts';
import { describedCommand } from './summaries.ts';

interface Options extends ConfigOptions {
  readonly since: number;
  readonly json?: true;
  readonly html?: string;
  readonly open?: true;
  readonly format: FormatChoice;
  readonly preset?: string;
}

/** As the file of `--html`. */
const STDOUT = '-';

const exitCodes = { none: 0, badInput: 2, loopsFound: 3, notUnderstood: 4 } as const;

/** `loopwatch scan [PATH...]`: finds the loops in the histories of coding agents on this machine. */
export function scanCommand(): Command {
  const command = describedCommand('scan')
    .argument('[path...]', 'history files and folders (default: where the agents store them)')
    .addOption(
      new Option('--since <time>', 'only what happened since then: 30d, 12h or a date')
        .argParser(parseSince)
        .default(0, 'all'),
    )
    .option('--json', 'print the report as JSON on stdout, and nothing else there')
    .option(
      '--html <file>',
      'write the report as a self-contained HTML page; - is stdout, and nothing else there',
    )
    .option('--open', 'open the dashboard on the sessions with the most expensive loops')
    .option('--preset <name>', 'detection preset (default: balanced)')
    .option('--format <name>', formatHelp, parseFormat, 'auto')
    .addHelpText(
      'after',
      `\nReads the histories of ${scannedAgents().join(', ')}. Nothing leaves the machine.` +
        '\nExit status: 0 no loop, 3 loops found, 2 bad input (reported on stderr), 4 most records of a file not understood.',
    );
  return addConfigOptions(command).action(async (paths: string[], options: Options) => {
    const { settings, warnings } = loadConfig(options, [
      { flag: '--preset', path: 'preset', text: options.preset },
    ]);
    printWarnings(warnings);
    if (options.html === STDOUT && options.json === true)
      throw new UsageError('--html - and --json both write to stdout: name a file for the page');
    if (options.html !== undefined && options.html !== STDOUT) checkPage(options.html);
    const bad = new BadLines();
    const sources =
      paths.length > 0 ? findSourcesAt(paths, options.since, bad) : findOwnSources(options.since, bad);
    const progress = new Progress();
    const total = sources.reduce((sum, { bytes }) => sum + bytes, 0);
    const scan = new Scan({
      settings,
      format: options.format,
      bad,
      since: options.since,
      onProgress: (files, bytes) => {
        progress.show(
          () => `${formatCount(files, 'file')}, ${formatBytes(bytes)} of ${formatBytes(total)} read`,
        );
      },
    });
    for (const source of sources) await scan.read(source);
    progress.clear();
    bad.finish();
    const report = scan.report(progress.seconds);
    await writeOut(outputOf(report, options));
    if (options.html !== undefined && options.html !== STDOUT) await writePage(options.html, report);
    process.exitCode = exitCodeOf(report, sources, options.since);
    if (options.open !== true) return;
    if (report.worst.length > 0) await showInDashboard(report.worst, sources, settings.preset);
    else writeError('There are no loops to open in the dashboard\n');
  });
}

/** What the command writes to stdout. */
function outputOf(report: ScanReport, options: Options): string {
  if (options.html === STDOUT) return reportPage(report);
  if (options.json === true) return `${printableJson(report)}\n`;
  const unused = (['open', 'html'] as const).filter((name) => options[name] === undefined);
  return reportText(report, hasColors(), process.stdout.columns, unused);
}

/** @throws UsageError when no histories are found */
function findOwnSources(since: number, bad: BadLines): Source[] {
  const histories = knownHistories();
  const sources = findSources(histories, since, bad);
  if (sources.length > 0) return sources;
  // Extensions have a folder in each editor on each system.
  const listed = histories.filter(({ folder }) => !folder.includes('globalStorage'));
  const width = Math.max(...listed.map(({ agent }) => agent.length));
  const folders = listed.map(({ agent, folder }) => `  ${agent.padEnd(width)} ${folder}`).join('\n');
  throw new UsageError(
    `no agent histories found${sinceText(since)}; looked in\n${folders}\nin the folders of Cline, Roo Code and Kilo Code in editors, and in the projects of Crush. To scan other files or folders: loopwatch scan PATH...`,
  );
}

function sinceText(since: number): string {
  return since === 0 ? '' : ` that were written since ${new Date(since).toISOString()}`;
}

/** Obeys NO_COLOR and FORCE_COLOR. */
function hasColors(): boolean {
  return process.stdout.isTTY && process.stdout.hasColors();
}

/** A scan can take minutes, so it does not begin if its page could not be written. */
function checkPage(file: string): void {
  const folder = dirname(file);
  if (!existsSync(folder)) throw new UsageError(`--html ${file}: there is no folder ${folder}`);
  if (existsSync(file) && statSync(file).isDirectory())
    throw new UsageError(`--html ${file}: it is a folder; name a file in it`);
  const isReplaced = !existsSync(file) || statSync(file).isFile();
  try {
    if (existsSync(file)) accessSync(file, constants.W_OK);
    if (isReplaced) accessSync(folder, constants.W_OK);
  } catch (error) {
    throw new UsageError(`--html ${file}: ${messageOf(error)}`);
  }
}

async function writePage(file: string, report: ScanReport): Promise<void> {
  try {
    await writeWhole(file, reportPage(report));
  } catch (error) {
    throw new UsageError(`--html ${file}: ${messageOf(error)}`);
  }
  writeError(`Report written to ${file}\n`);
}

function exitCodeOf(report: ScanReport, sources: readonly Source[], since: number): number {
  if (report.events === 0) {
    const read = `no record of an agent session in ${formatCount(report.files, 'file')}`;
    writeError(`nothing to evaluate: ${sources.length === 0 ? `no files found${sinceText(since)}` : read}\n`);
    return exitCodes.badInput;
  }
  if (report.faults > 0) return exitCodes.badInput;
  if (report.notUnderstood.length > 0) return exitCodes.notUnderstood;
  return report.loops > 0 ? exitCodes.loopsFound : exitCodes.none;
}

/** Epoch ms of `30d`, `12h` or a date. */
function parseSince(text: string): number {
  const [, amount, unit = ''] = /^(\d+)([mhdw])$/.exec(text) ?? [];
  if (amount !== undefined) return Date.now() - durationMs(amount, unit);
  const date = timeFromText(text);
  if (date === undefined)
    throw new InvalidArgumentError('Expected 30d, 12h, 2w or a date such as 2026-11-01.');
  return date;
}
