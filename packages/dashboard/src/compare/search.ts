import { type BreakdownDimension, isBreakdownDimension } from '@loopwatch/contract/api';
import { standardRange } from '../breakdown/search.ts';
import { type Search, valueOf } from '../lib/search.ts';
import { readRange, type TimeRange, writeRange } from '../lib/time-range.ts';

/** What two things are compared by; `period`: the time range with the one before it. */
export type CompareBy = BreakdownDimension | 'period';

export interface CompareView {
  readonly by: CompareBy;
  readonly a: string | undefined;
  readonly b: string | undefined;
  readonly range: TimeRange;
}

export const compareNames: readonly { readonly value: CompareBy; readonly text: string }[] = [
  { value: 'agentVersion', text: 'Version' },
  { value: 'model', text: 'Model' },
  { value: 'agent', text: 'Agent' },
  { value: 'tenant', text: 'Tenant' },
  { value: 'period', text: 'Period' },
];

/** Search params of the page; default: versions, over a week. */
export function readCompare(search: Search): CompareView & { readonly ignored: readonly string[] } {
  const { range, ignored } = readRange(search, standardRange);
  const isAll = range.kind === 'all';
  if (isAll) ignored.push('range=all');
  const by = valueOf(search, 'by') ?? 'agentVersion';
  // Sessions have neither tool nor detector.
  const isKnown = by === 'period' || (isBreakdownDimension(by) && by !== 'tool' && by !== 'detector');
  if (!isKnown) ignored.push(`by=${by}`);
  return {
    by: isKnown ? by : 'agentVersion',
    a: valueOf(search, 'a'),
    b: valueOf(search, 'b'),
    range: isAll ? standardRange : range,
    ignored,
  };
}

/** The inverse of {@link readCompare}. */
export function writeCompare({ by, a, b, range }: CompareView): Search {
  return { by: by === 'agentVersion' ? undefined : by, a, b, ...writeRange(range, standardRange) };
}
