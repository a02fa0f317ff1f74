import type { Distribution } from './recovery.ts';
import type { ChaosReport } from './run.ts';

/** Maximum number of ids listed per kind of difference. */
const MOST_NAMED = 5;

/** The report as text. */
export function reportText(seed: number, report: ChaosReport): string {
  const { events, verdicts, deadLetters, differences, faults, kept, troubles } = report;
  const { durations, sessionsRestored, recordsReplayed, longestReplay, interruptions } = report.takeovers;
  const lines = [
    `seed ${seed}, ${report.seconds} s`,
    `events          ${events.inTopic} (${events.written} acknowledged)`,
    `verdicts        ${verdicts.expected} expected, ${verdicts.found} found`,
    `dead letters    ${deadLetters.expected} expected, ${deadLetters.found} found`,
    ...Object.entries(differences).map(([what, ids]) => difference(what, ids as readonly string[])),
    `faults          ${Object.entries(faults)
      .map(([kind, count]) => `${kind} ${count}`)
      .join(', ')}`,
    `takeovers       ${milliseconds(durations)}`,
    `                ${sessionsRestored} sessions restored, ${recordsReplayed} records replayed, at most ${longestReplay} at a time`,
    `interruptions   ${interruptions}`,
    `unconfirmed     ${report.unconfirmed}`,
    `snapshots       ${kept.snapshots} written, ${kept.tombstones} tombstones`,
    'work stood still after',
    ...Object.entries(report.stalls).map(([kind, stall]) => `  ${kind.padEnd(28)}${milliseconds(stall)}`),
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
