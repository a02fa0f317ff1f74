import { isDeepStrictEqual } from 'node:util';
import { compare, type Differences } from '../compare.ts';
import type { Results } from '../expected.ts';

/** What came of events that two versions have processed in turn. */
export interface Judgement extends Differences {
  /** Verdicts that both versions find. */
  readonly expected: number;
  /** Of these. */
  readonly found: number;
  /** Verdicts that only one of them finds: they may be missing. */
  readonly disputed: number;
}

/**
 * Each verdict that both versions find in a replay of all events must be there once, with the content of either. One that only
 * one of them finds may be there, one that neither finds must not.
 */
export function judge(earlier: Results, present: Results, found: Results): Judgement {
  const contents = [earlier, present].map(
    ({ verdicts }) => new Map(verdicts.map((verdict) => [verdict.id, verdict])),
  );
  const isShared = ({ id }: { readonly id: string }) => contents.every((verdicts) => verdicts.has(id));
  const isDisputed = (verdict: { readonly id: string }) =>
    !isShared(verdict) && contents.some((verdicts) => verdicts.has(verdict.id));
  const expected = { ...present, verdicts: present.verdicts.filter(isShared) };
  const shared = { ...found, verdicts: found.verdicts.filter((verdict) => !isDisputed(verdict)) };
  const differences = compare(expected, shared);
  const different = shared.verdicts.filter(
    (verdict) =>
      isShared(verdict) && !contents.some((verdicts) => isDeepStrictEqual(verdicts.get(verdict.id), verdict)),
  );
  return {
    expected: expected.verdicts.length,
    found: shared.verdicts.filter(isShared).length,
    disputed: [...earlier.verdicts, ...present.verdicts].filter(isDisputed).length,
    ...differences,
    different: different.map(({ id }) => id),
  };
}
