import { type IncidentItem, incidentAt } from '@loopwatch/contract/api';
import { omit } from '../lib/omit.ts';
import { rangeLimits, type TimeRange } from '../lib/time-range.ts';
import { type Filter, type ListFilter, listFilterNames } from './search.ts';

/** Merges loaded pages with the changes of the live link. */

/** Whether an incident matches, by the server's rules. @param now wall clock, epoch ms */
export function matches(item: IncidentItem, filter: Filter, range: TimeRange, now: number): boolean {
  for (const name of listFilterNames) {
    const wanted: readonly string[] | undefined = filter[name];
    if (wanted !== undefined && !valuesOf(item, name, now).some((value) => wanted.includes(value)))
      return false;
  }
  if (filter.open !== undefined && isOpen(item, now) !== filter.open) return false;
  const { from, to } = rangeLimits(range, now);
  if (item.detectedAt < (from ?? 0) || item.detectedAt >= (to ?? Infinity)) return false;
  const text = filter.q?.toLowerCase();
  if (text === undefined) return true;
  const { reason, tool, id, sessionId, agent, model, tenant } = item;
  return [reason, tool?.name, id, sessionId, agent, model, tenant].some((part) =>
    part?.toLowerCase().includes(text),
  );
}

function valuesOf(item: IncidentItem, name: ListFilter, now: number): readonly string[] {
  if (name === 'tag') return tagsOf(item);
  if (name === 'group') return [item.groupKey];
  if (name === 'assignee') return [item.triage.assignee ?? ''];
  if (name === 'triage') return [isMuteOver(item, now) ? 'new' : item.triage.status];
  return [(name === 'tool' ? item.tool?.name : item[name]) ?? ''];
}

/** Tags as filters write them: `name:value`. */
export function tagsOf({ tags = {} }: IncidentItem): string[] {
  return Object.entries(tags).map(([name, value]) => `${name}:${value}`);
}

function isMuteOver({ triage }: IncidentItem, now: number): boolean {
  return triage.status === 'muted' && triage.mutedUntil !== null && triage.mutedUntil <= now;
}

/** The incident as it is at this time: quiet after a minute without events, and without a mute that has ended. */
export function itemAt<T extends IncidentItem>(item: T, now: number): T {
  const current = incidentAt(item, now);
  if (!isMuteOver(item, now)) return current;
  return { ...omit(current, 'mute'), triage: { ...item.triage, status: 'new', mutedUntil: null } } as T;
}

/** Whether an incident is open, and neither muted nor a false positive. */
export function isOpen(item: IncidentItem, now: number): boolean {
  const { status } = item.triage;
  return (
    item.state === 'open' && status !== 'false_positive' && (status !== 'muted' || isMuteOver(item, now))
  );
}

const sortKeys: Readonly<Record<string, (item: IncidentItem) => number>> = {
  detectedAt: ({ detectedAt }) => detectedAt,
  lastAt: ({ lastAt }) => lastAt,
  count: ({ count }) => count,
  calls: ({ cost }) => cost.calls,
  tokens: ({ cost }) => cost.tokens ?? -1,
  usd: ({ cost }) => cost.usd ?? -1,
  duration: ({ cost }) => cost.ms,
  confidence: ({ confidence }) => confidence,
};

/** The server's order: of equal values, ids decide, in the same direction. @param sort a key of {@link sortKeys}, with a minus for descending */
export function comparator(sort: string): (a: IncidentItem, b: IncidentItem) => number {
  const down = sort.startsWith('-');
  const key = sortKeys[down ? sort.slice(1) : sort] ?? (({ detectedAt }) => detectedAt);
  return (a, b) => (down ? -1 : 1) * (key(a) - key(b) || (a.id < b.id ? -1 : 1));
}

export interface View {
  readonly filter: Filter;
  readonly range: TimeRange;
  readonly sort: string;
}

/**
 * The loaded rows in their latest version, and new rows in their sorted position. A new row that sorts after the last
 * loaded one is left out until its page is loaded.
 *
 * @param whole whether all pages are loaded
 * @param now wall clock, epoch ms
 */
export function mergeRows(
  read: readonly IncidentItem[],
  live: ReadonlyMap<string, IncidentItem>,
  { filter, range, sort }: View,
  whole: boolean,
  now: number,
): IncidentItem[] {
  const compare = comparator(sort);
  const known = new Set<string>();
  const rows: IncidentItem[] = [];
  let changed = false;
  for (const item of read) {
    if (known.has(item.id)) continue;
    known.add(item.id);
    const told = live.get(item.id);
    const latest = itemAt(told === undefined || !isNewer(told, item) ? item : told, now);
    if (latest === item) rows.push(item);
    else {
      changed = true;
      if (matches(latest, filter, range, now)) rows.push(latest);
    }
  }
  const last = read.at(-1);
  for (const told of live.values()) {
    const item = itemAt(told, now);
    if (known.has(item.id) || !matches(item, filter, range, now)) continue;
    if (!whole && last !== undefined && compare(item, last) > 0) continue;
    rows.push(item);
    changed = true;
  }
  return changed ? rows.sort(compare) : rows;
}

/** Whether one version is at least as new as the other; numbers also grow between two verdicts. */
export function isNewer(a: IncidentItem, b: IncidentItem): boolean {
  return (
    a.revision >= b.revision && a.triage.revision >= b.triage.revision && a.lastActivityAt >= b.lastActivityAt
  );
}
