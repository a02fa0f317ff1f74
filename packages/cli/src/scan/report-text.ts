import { styleText } from 'node:util';
import { notUnderstoodText } from '../events/understood.ts';
import { printableTexts } from '../runtime/output.ts';
import {
  formatBytes,
  formatCompact,
  formatCount,
  formatDay,
  formatDuration,
  formatInteger,
  formatUsd,
  shortPath,
} from './format-values.ts';
import type { ScannedLoop, ScannedStore, ScanReport, Share, Usage } from './scan-report.ts';

type Style = Parameters<typeof styleText>[0];

/** Widest line without a terminal, and the least that a terminal gets. */
const DEFAULT_WIDTH = 120;
const MIN_WIDTH = 40;
/** Agents, projects and days that the report lists, the most wasteful. */
const LISTED_SHARES = 5;

/**
 * The report of a scan for the terminal.
 *
 * @param found its texts are data: they control no terminal
 * @param hasColors whether the terminal shows colors
 * @param columns of the terminal; 0: unknown
 * @param unused options of the command that were not used and show more
 */
export function reportText(
  found: ScanReport,
  hasColors: boolean,
  columns = DEFAULT_WIDTH,
  unused: readonly (keyof typeof optionTexts)[] = ['open', 'html'],
): string {
  const width = columns > 0 ? Math.max(MIN_WIDTH, columns) : DEFAULT_WIDTH;
  const report = printableTexts(found);
  const paint = (style: Style, text: string) => (hasColors ? styleText(style, text) : text);
  const { seconds, characters, sessions, files, loops, used } = report;
  // Of a few files, the start takes most of the time.
  const speed = characters < 1e7 ? '' : `, ${(characters / 1e6 / Math.max(seconds, 0.001)).toFixed(0)} MB/s`;
  const agents = Object.entries(report.agents).map(([agent, count]) => `${agent} ${formatInteger(count)}`);
  const inLines = (style: Style, text: string) => wrapped(text, width).map((line) => paint(style, line));
  const lines = [
    '',
    ...report.notUnderstood.flatMap((one) => inLines('yellow', notUnderstoodText(one))),
    ...inLines(['bold', report.events === 0 ? 'yellow' : loops === 0 ? 'green' : 'red'], headline(report)),
    ...(loops === 0 ? [] : inLines('bold', usageText(report.wasted, 'wasted'))),
    ...inLines(
      'dim',
      `${formatCount(sessions, 'session')} scanned: ${formatCount(files, 'file')}, ${formatBytes(report.bytes)} in ${formatDuration(seconds)}${speed}`,
    ),
    ...(agents.length > 0 ? inLines('dim', `${agents.join(' · ')} · ${usageText(used)}`) : []),
    ...report.stores.flatMap((store) => inLines('dim', storeText(store))),
    '',
    ...detectorLines(report).map((line) => cut(line, width)),
    ...shareLines('Project', report.byProject, width),
    ...shareLines('Agent', report.byAgent, width),
    ...shareLines('Day (UTC)', report.byDay, width),
    ...report.worst.map((loop, i) => loopLine(loop, i + 1, width, paint)),
    ...(report.worst.length > 0 ? [''] : []),
    ...[...noteLines(report), ...optionLines(report, unused)].flatMap((note) => inLines('dim', note)),
  ];
  return `${lines.join('\n')}\n\n`;
}

/** `$1.55 of $4.16 wasted (37%): 3 loops in 2 of 40 sessions` */
export function headline(report: ScanReport): string {
  const { events, loops, sessionsWithLoops, sessions, used, wasted } = report;
  if (events === 0) return 'Nothing to evaluate';
  if (sessions === 0 && report.earlierSessions > 0) return 'No sessions since then';
  if (loops === 0) return 'No loops';
  const found = `${formatCount(loops, 'loop')} in ${formatInteger(sessionsWithLoops)} of ${formatCount(sessions, 'session')}`;
  if (wasted.usd === 0) return found;
  return `${formatUsd(wasted.usd)} of ${formatUsd(used.usd)} wasted (${shareText(wasted.usd, used.usd)}): ${found}`;
}

/** 37%, <1% */
export function shareText(part: number, whole: number): string {
  const percent = whole === 0 ? 0 : (100 * part) / whole;
  return percent > 0 && percent < 1 ? '<1%' : `${String(Math.round(percent))}%`;
}

/** The parts that wasted most, if there are several. */
export function worstShares(shares: Readonly<Record<string, Share>>): (readonly [string, Share])[] {
  const all = Object.entries(shares);
  if (all.length < 2) return [];
  return all
    .filter(([, { loops }]) => loops > 0)
    .sort(([, a], [, b]) => b.wasted.usd - a.wasted.usd || b.wasted.calls - a.wasted.calls)
    .slice(0, LISTED_SHARES);
}

function shareLines(what: string, shares: Readonly<Record<string, Share>>, width: number): string[] {
  const rows = worstShares(shares).map(([name, { loops, sessions, used, wasted }]) => {
    const amount =
      used.usd > 0
        ? `${formatUsd(wasted.usd)} of ${formatUsd(used.usd)} (${shareText(wasted.usd, used.usd)})`
        : `${formatInteger(wasted.calls)} of ${formatCount(used.calls, 'call')}`;
    return cut(
      `  ${name.slice(0, 24).padEnd(24)} ${amount}, ${formatCount(loops, 'loop')} in ${formatCount(sessions, 'session')}`,
      width,
    );
  });
  return rows.length === 0 ? [] : [`  ${what}`, ...rows.map((row) => `  ${row}`.slice(0, width)), ''];
}

/** A text on lines of this width, each indented. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line === undefined || line.length + 1 + word.length > width) lines.push(`  ${word}`);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines.flatMap((line) => (line.length <= width ? [line] : chunks(line, width)));
}

/** A path may be longer than a line. */
function chunks(text: string, width: number): string[] {
  return Array.from({ length: Math.ceil(text.length / width) }, (_, i) =>
    text.slice(i * width, (i + 1) * width),
  );
}

function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
}

/** `OpenClaw: 12 sessions in 12 files, 340 calls; 1 file of unknown format was not read` */
function storeText({ agent, files, skippedFiles, sessions, calls }: ScannedStore): string {
  const read = `${agent}: ${formatCount(sessions, 'session')} in ${formatCount(files, 'file')}, ${formatCount(calls, 'call')}`;
  const verb = skippedFiles === 1 ? 'was' : 'were';
  return skippedFiles === 0
    ? read
    : `${read}; ${formatCount(skippedFiles, 'file')} of unknown format ${verb} not read`;
}

function detectorLines({ byDetector }: ScanReport): string[] {
  const rows = Object.entries(byDetector).map(
    ([detector, { loops, ...usage }]) =>
      `  ${formatInteger(loops).padStart(6)} ${detector.padEnd(16)} ${usageText(usage)}`,
  );
  return rows.length === 0 ? [] : [...rows, ''];
}

/** ` 1. $1.20 · 42 calls · Read ×42 · “Fix the login” · webapp · 2026-11-01` */
function loopLine(
  loop: ScannedLoop,
  rank: number,
  width: number,
  paint: (style: Style, text: string) => string,
): string {
  const { prompt, project, sessionId, time, wasted } = loop;
  const lead = `  ${`${String(rank)}.`.padEnd(4)}${wasted.usd == null ? formatCount(wasted.calls, 'call') : `${formatUsd(wasted.usd)} ${formatCount(wasted.calls, 'call')}`}  ${loop.title}`;
  const facts = [project, formatDay(time), prompt ?? sessionId].filter((fact) => fact !== null);
  const line = cut(`${lead}  ${facts.join(' · ')}`, width);
  return paint('bold', line.slice(0, lead.length)) + paint('dim', line.slice(lead.length));
}

function noteLines({
  ignored,
  duplicates,
  earlierSessions,
  skippedFiles,
  firstSkipped,
  withoutPrice,
  used,
  wasted,
}: ScanReport): string[] {
  const types = Object.entries(ignored).sort(([, a], [, b]) => b - a);
  const listed = types.slice(0, 6).map(([type, count]) => `${formatInteger(count)} ${type}`);
  const more = types.length > listed.length ? ', …' : '';
  return [
    ...(types.length > 0
      ? [`Ignored, because they are irrelevant to loops: ${listed.join(', ')}${more}`]
      : []),
    ...(earlierSessions > 0
      ? [`${formatCount(earlierSessions, 'session')} that ended before --since left out`]
      : []),
    ...(duplicates > 0
      ? [`${formatCount(duplicates, 'copied event')} of resumed or forked sessions counted once`]
      : []),
    ...(firstSkipped === null
      ? []
      : [
          `${formatCount(skippedFiles, 'file')} of unknown format skipped; see why: loopwatch scan ${shortPath(firstSkipped)}`,
        ]),
    ...(withoutPrice.length > 0
      ? [
          `No price for ${withoutPrice.join(', ')}: the dollars leave out ${formatCount(used.unpriced, 'session')} and ${formatCount(wasted.unpriced, 'loop')}`,
        ]
      : []),
  ];
}

const optionTexts = {
  open: '--open shows these sessions in the dashboard',
  html: '--html FILE writes a page',
};

function optionLines({ loops }: ScanReport, unused: readonly (keyof typeof optionTexts)[]): string[] {
  if (loops === 0 || unused.length === 0) return [];
  return [`loopwatch scan ${unused.map((option) => optionTexts[option]).join(', ')}`];
}

/** 42 calls, 1.2M tokens, $3.20 */
function usageText({ calls, tokens, usd }: Usage, what = ''): string {
  const parts = [
    `${formatInteger(calls)} ${what === '' ? '' : `${what} `}call${calls === 1 ? '' : 's'}`,
    ...(tokens > 0 ? [`${formatCompact(tokens)} tokens`] : []),
    ...(usd > 0 ? [formatUsd(usd)] : []),
  ];
  return parts.join(', ');
}
