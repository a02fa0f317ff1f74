import { RepeatIndex } from '../../src/text/repeat-index.ts';
import type { TextRule } from '../../src/text/text-index.ts';

/** What the index reports, with the number of units appended so far as the place. */
export type Report =
  | { kind: 'repeat'; at: number; count: number; nearest: number; farthest: number }
  | { kind: 'quiet'; at: number };

/** What happens to an index: a text arrives, tracking restarts, or the state goes through JSON. */
export type Action = { append: string } | 'restart' | 'reload';

/** The rule by its definition: every window's occurrences, remembered for ever. */
export function expectedReports(actions: readonly Action[], options: TextRule): Report[] {
  const reports: Report[] = [];
  let stretch = '';
  let start = 0;
  for (const action of [...actions, 'restart'] as const) {
    if (action === 'reload') continue;
    if (action === 'restart') {
      for (const report of reportsOfStretch(stretch, start, options)) reports.push(report);
      start += stretch.length;
      stretch = '';
    } else {
      stretch += action.append;
    }
  }
  return reports;
}

/** The reports of a text in which tracking does not restart. */
function reportsOfStretch(text: string, start: number, options: TextRule): Report[] {
  const { window, threshold, maxDistance } = options;
  const reports: Report[] = [];
  const ends = new Map<string, number[]>();
  const counts = new Map<number, number>();
  let lastRepeat: number | undefined;
  for (let end = 1; end <= text.length; end += 1) {
    const at = start + end;
    if (end >= window) {
      const occurrences = entry(ends, text.slice(end - window, end));
      occurrences.push(end);
      const latest = occurrences.slice(-threshold);
      const spread = end - (latest[0] ?? end);
      if (latest.length === threshold && spread / (threshold - 1) <= maxDistance) {
        const before = latest.at(-2) ?? end;
        const count = (counts.get(before) ?? threshold - 1) + 1;
        counts.set(end, count);
        lastRepeat = end;
        reports.push({ kind: 'repeat', at, count, nearest: end - before, farthest: spread });
        continue;
      }
    }
    if (lastRepeat !== undefined && end - lastRepeat >= maxDistance) {
      lastRepeat = undefined;
      counts.clear();
      reports.push({ kind: 'quiet', at });
    }
  }
  return reports;
}

function entry(ends: Map<string, number[]>, window: string): number[] {
  const known = ends.get(window);
  if (known !== undefined) return known;
  const created: number[] = [];
  ends.set(window, created);
  return created;
}

/** What a {@link RepeatIndex} reports. */
export function actualReports(actions: readonly Action[], options: TextRule): Report[] {
  const reports: Report[] = [];
  let index = new RepeatIndex(options);
  let at = 0;
  for (const action of actions) {
    if (action === 'restart') {
      index.restart();
    } else if (action === 'reload') {
      const snapshot = JSON.parse(JSON.stringify(index.snapshot())) as ReturnType<RepeatIndex['snapshot']>;
      index = new RepeatIndex(options);
      index.restore(snapshot);
    } else {
      const before = at;
      const current = index;
      current.append(action.append, 0, action.append.length, {
        onRepeat(i, count) {
          const distances = current.distances(0);
          const [nearest = 0, farthest = 0] = [distances[0], distances.at(-1)];
          reports.push({ kind: 'repeat', at: before + i + 1, count, nearest, farthest });
        },
        onQuiet(i) {
          reports.push({ kind: 'quiet', at: before + i + 1 });
        },
      });
      at += action.append.length;
    }
  }
  return reports;
}

/** Reports as short lines, so that a difference is read at a glance. */
export function lines(reports: readonly Report[]): string[] {
  return reports.map((report) =>
    report.kind === 'quiet'
      ? `${String(report.at)} quiet`
      : `${String(report.at)} x${String(report.count)}, ${String(report.nearest)} to ${String(report.farthest)} back`,
  );
}
