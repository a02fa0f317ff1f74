import { plural } from '../lib/format.ts';

/** What was detected beside loops, as far as there is any. */
export function apartTexts({
  limits,
  outages,
}: {
  readonly limits: number;
  readonly outages: number;
}): readonly string[] {
  return [
    ...(limits > 0 ? [plural(limits, 'limit')] : []),
    ...(outages > 0 ? [plural(outages, 'outage')] : []),
  ];
}
