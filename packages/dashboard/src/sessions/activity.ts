import type { SessionItem } from '@loopwatch/contract/api';

/**
 * Events of a session per equal part of its duration, interpolated between samples.
 *
 * @returns empty for a session with a single sample
 */
export function activityOf({ progress = [] }: Pick<SessionItem, 'progress'>, parts: number): number[] {
  const points = [{ at: 0, events: 0 }];
  for (let i = 0; i + 1 < progress.length; i += 2) {
    const before = points.at(-1);
    const at = progress[i] ?? 0;
    // A clock that was set back counts as no time.
    if (before !== undefined && at > before.at) points.push({ at, events: progress[i + 1] ?? 0 });
  }
  const end = points.at(-1)?.at ?? 0;
  if (end === 0) return [];
  const upTo = (time: number): number => {
    const next = points.findIndex(({ at }) => at >= time);
    const [a, b] = [points[Math.max(0, next - 1)], points[next]];
    if (a === undefined || b === undefined || b.at === a.at) return b?.events ?? 0;
    return a.events + ((time - a.at) / (b.at - a.at)) * (b.events - a.events);
  };
  const borders = Array.from({ length: parts + 1 }, (_, part) => upTo((part / parts) * end));
  return borders.slice(1).map((events, part) => events - (borders[part] ?? 0));
}
