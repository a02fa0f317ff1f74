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
import type { ScannedLoop, ScannedStore, ScanReport, Usage } from './scan-report.ts';
import { usageOf } from './scan-totals.ts';

type Style = Parameters<typeof styleText>[0];

/** The report of a scan for the terminal. @param found its texts are data: they control no terminal @param hasColors whether the terminal shows colors */
export function reportText(found: ScanReport, hasColors: boolean): string {
  const report = printableTexts(found);
  const paint = (style: Style, text: string) => (hasColors ? styleText(style, text) : text);
  const { seconds, characters, sessions, files, loops, sessionsWithLoops, used, wasted } = report;
  const speed = `${(characters / 1e6 / Math.max(seconds, 0.001)).toFixed(0)} MB/s`;
  const agents = Object.entries(report.agents).map(([agent, count]) => `${agent} ${formatInteger(count)}`);
  const lines = [
    '',
    ...report.notUnderstood.map((one) => paint('yellow', `  ${notUnderstoodText(one)}`)),
    paint('bold', `  ${formatCount(sessions, 'session')} scanned`) +
      paint(
        'dim',
        `  ${formatCount(files, 'file')}, ${formatBytes(report.bytes)} in ${formatDuration(seconds)}, ${speed}`,
      ),
    ...(agents.length > 0 ? [paint('dim', `  ${agents.join(' · ')} · ${usageText(used)}`)] : []),
    ...report.stores.map((store) => paint('dim', `  ${storeText(store)}`)),
    '',
    loops === 0
      ? paint(['bold', 'green'], '  No loops')
      : paint(['bold', 'red'], `  ${formatCount(loops, 'loop')}`) +
        paint('bold', ` in ${formatCount(sessionsWithLoops, 'session')}: ${usageText(wasted, 'wasted')}`),
    '',
    ...detectorLines(report),
    ...report.worst.flatMap((loop, i) => loopLines(loop, i + 1, paint)),
    ...noteLines(report).map((note) => paint('dim', `  ${note}`)),
  ];
  return `${lines.join('\n')}\n\n`;
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

function loopLines(loop: ScannedLoop, rank: number, paint: (style: Style, text: string) => string): string[] {
  const { agent, model, time, detector, reason, sessionId, file, wasted } = loop;
  const facts = [agent, model, formatDay(time), detector].filter((fact) => fact !== null);
  return [
    `  ${paint('bold', `${String(rank)}.`.padEnd(4))}${paint('bold', usageText(usageOf(wasted)))}${paint('dim', `  ${facts.join(' · ')}`)}`,
    `      ${reason}`,
    paint('dim', `      session ${sessionId} in ${shortPath(file)}`),
    '',
  ];
}

function noteLines({ ignored, duplicates, skippedFiles, withoutPrice, loops }: ScanReport): string[] {
  const types = Object.entries(ignored).sort(([, a], [, b]) => b - a);
  const listed = types.slice(0, 6).map(([type, count]) => `${formatInteger(count)} ${type}`);
  const more = types.length > listed.length ? ', …' : '';
  return [
    ...(types.length > 0
      ? [`Ignored, because they are irrelevant to loops: ${listed.join(', ')}${more}`]
      : []),
    ...(duplicates > 0
      ? [`${formatCount(duplicates, 'copied event')} of resumed or forked sessions counted once`]
      : []),
    ...(skippedFiles > 0 ? [`${formatCount(skippedFiles, 'file')} of unknown format skipped`] : []),
    ...(withoutPrice.length > 0 ? [`No price for ${withoutPrice.join(', ')}`] : []),
    ...(loops > 0
      ? ['loopwatch scan --open shows these sessions in the dashboard, --html FILE writes a page']
      : []),
  ];
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
