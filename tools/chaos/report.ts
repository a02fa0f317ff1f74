import type { Distribution } from './recovery.ts';
import type { ChaosReport } from './run.ts';

/** Maximum number of ids listed per kind of difference. */
const MOST_NAMED = 5;

const KIND_WIDTH = 36;

/** Whether the run shows what is promised: results, and bounds of recovery. */
export function isSound({ isAllowed, troubles, events, stalls }: ChaosReport): boolean {
  const isInTime = Object.values(stalls).every(({ late }) => late.length === 0);
  return isAllowed && isInTime && troubles.length === 0 && events.inTopic === events.written;
}

/** The report as text. */
export function reportText(seed: number, report: ChaosReport): string {
  const { events, verdicts, deadLetters, differences, faults, kept, troubles } = report;
  const { durations, sessionsRestored, recordsReplayed, longestReplay, interruptions } = report.takeovers;
  const lines = [
    `seed ${seed}, ${report.delivery}, ${report.seconds} s: ${isSound(report) ? 'sound' : 'NOT SOUND'}`,
    `events          ${events.inTopic} (${events.written} acknowledged)`,
    `verdicts        ${verdicts.expected} expected, ${verdicts.found} found`,
    `dead letters    ${deadLetters.expected} expected, ${deadLetters.found} found`,
    ...Object.entries(differences).map(([what, ids]) => difference(what, ids as readonly string[])),
    `faults          ${Object.values(faults).reduce((sum, count) => sum + count, 0)}`,
    ...Object.entries(faults).map(([kind, count]) => `  ${kind.padEnd(KIND_WIDTH)}${count}`),
    `takeovers       ${milliseconds(durations)}`,
    `                ${sessionsRestored} sessions restored, ${recordsReplayed} records replayed, at most ${longestReplay} at a time`,
    `interruptions   ${interruptions}`,
    `unconfirmed     ${report.unconfirmed}`,
    `snapshots       ${kept.snapshots} written, ${kept.tombstones} tombstones`,
    `work stood still for more than a second after (allowance: ${report.allowanceMs} ms)`,
    ...Object.entries(report.stalls).flatMap(([kind, stall]) => [
      `  ${kind.padEnd(KIND_WIDTH)}${milliseconds(stall)}, bound ${stall.boundMs} ms, ${stall.late.length} too long`,
      ...stall.late.slice(0, MOST_NAMED).map((text) => `    ${text}`),
    ]),
    ...troubles.map((trouble) => `TROUBLE         ${trouble}`),
  ];
  return `${lines.join('\n')}\n`;
}

function difference(what: string, ids: readonly string[]): string {
  const named = ids.slice(0, MOST_NAMED).map((id) => `\n                  ${id}`);
  return `${words(what).padEnd(16)}${ids.length}${named.join('')}`;
}

function words(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function milliseconds({ count, p50, max }: Distribution): string {
  return count === 0 ? '-' : `${count} times, p50 ${p50} ms, max ${max} ms`;
}
