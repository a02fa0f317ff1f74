import { type BreakdownDimension, isBreakdownDimension } from '@loopwatch/contract/api';
import type { BreakdownView } from '../api/breakdown.ts';
import { type Search, valueOf } from '../lib/search.ts';
import { allTime, readRange, type TimeRange, writeRange } from '../lib/time-range.ts';

export const dimensionNames = {
  agent: 'Agent',
  model: 'Model',
  tool: 'Tool',
  tenant: 'Tenant',
  agentVersion: 'Version',
  detector: 'Detector',
} as const;

export const sortNames: Readonly<Record<string, string>> = {
  '-usd': 'Highest cost',
  '-increase': 'Largest increase in loops',
  '-rate': 'Most loops per session',
  '-share': 'Largest share of spend',
  '-incidents': 'Most loops',
  '-sessions': 'Most sessions',
  '-calls': 'Most calls',
  '-tokens': 'Most tokens',
};
const standardSort = '-usd';
export const standardRange: TimeRange = { kind: 'last', span: '7d' };

/** Search params of the page; default: one week by agent. */
export function readBreakdown(search: Search): BreakdownView & { readonly ignored: readonly string[] } {
  const { range, ignored } = readRange(search, standardRange);
  const isAll = range.kind === 'all';
  if (isAll) ignored.push('range=all');
  const by = valueOf(search, 'by') ?? 'agent';
  const sort = valueOf(search, 'sort') ?? standardSort;
  if (!isBreakdownDimension(by)) ignored.push(`by=${by}`);
  if (!Object.hasOwn(sortNames, sort)) ignored.push(`sort=${sort}`);
  return {
    groupBy: isBreakdownDimension(by) ? by : 'agent',
    range: isAll ? standardRange : range,
    sort: Object.hasOwn(sortNames, sort) ? sort : standardSort,
    ignored,
  };
}

/** The inverse of {@link readBreakdown}. */
export function writeBreakdown({ groupBy, range, sort }: BreakdownView): Search {
  return {
    by: groupBy === 'agent' ? undefined : groupBy,
    sort: sort === standardSort ? undefined : sort,
    ...writeRange(range, standardRange),
  };
}

/** Search params of a group's incidents. */
export function incidentsOf({ groupBy, range }: BreakdownView, value: string): Search {
  const tag = groupBy.startsWith('tag:');
  const filter = tag ? { tag: `${groupBy.slice('tag:'.length)}:${value}` } : { [groupBy]: value };
  return { ...filter, kind: 'loop', ...writeRange(range, allTime) };
}

/** Name of a dimension: "agent", "tag env". */
export function dimensionText(groupBy: BreakdownDimension): string {
  if (groupBy.startsWith('tag:')) return `tag ${groupBy.slice('tag:'.length)}`;
  return dimensionNames[groupBy as keyof typeof dimensionNames].toLowerCase();
}
