import { isDeepStrictEqual } from 'node:util';
import type { Settings } from '@loopwatch/contract';
import type { Results } from './expected.ts';

/** The differences between found and expected. */
export interface Differences {
  readonly missing: readonly string[];
  /** Found more than once. */
  readonly duplicate: readonly string[];
  readonly unexpected: readonly string[];
  /** Sessions with verdicts in a different order. */
  readonly outOfOrder: readonly string[];
  /** Verdicts with a different content. */
  readonly different: readonly string[];
}

/** Compares verdicts by ids, order and texts, dead letters by their whole content. */
export function compare(expected: Results, found: Results): Differences {
  const ids = compareIds(
    [...expected.verdicts.map(({ id }) => id), ...expected.deadLetters],
    [...found.verdicts.map(({ id }) => id), ...found.deadLetters],
  );
  const texts = new Map(expected.verdicts.map((verdict) => [verdict.id, verdict]));
  const different = found.verdicts.filter((verdict) => {
    const wanted = texts.get(verdict.id);
    return wanted !== undefined && !isDeepStrictEqual(verdict, wanted);
  });
  return { ...ids, outOfOrder: outOfOrder(expected, found), different: different.map(({ id }) => id) };
}

export function isExact(differences: Differences): boolean {
  return Object.values(differences).every((list: readonly string[]) => list.length === 0);
}

/** Whether the delivery promises no better: at least once, a result may be found again, with the same id and content. */
export function isAllowed(differences: Differences, delivery: Settings['kafka']['delivery']): boolean {
  return isExact(delivery === 'exactly_once' ? differences : { ...differences, duplicate: [] });
}

function compareIds(expected: readonly string[], found: readonly string[]) {
  const wanted = new Set(expected);
  const seen = new Set<string>();
  const duplicate: string[] = [];
  for (const id of found) {
    if (seen.has(id)) duplicate.push(id);
    seen.add(id);
  }
  return {
    missing: [...wanted].filter((id) => !seen.has(id)),
    duplicate,
    unexpected: [...seen].filter((id) => !wanted.has(id)),
  };
}

/** Compares only common ids: a missing verdict does not put the others out of order. */
function outOfOrder(expected: Results, found: Results): string[] {
  const seen = new Set(found.verdicts.map(({ id }) => id));
  const common = new Set(expected.verdicts.map(({ id }) => id).filter((id) => seen.has(id)));
  const wanted = orders(expected, common);
  return [...orders(found, common)].flatMap(([session, ids]) =>
    isDeepStrictEqual(ids, wanted.get(session)) ? [] : [session],
  );
}

/** The distinct verdict ids of each session, in order. */
function orders({ verdicts }: Results, among: ReadonlySet<string>): Map<string, string[]> {
  const bySession = new Map<string, Set<string>>();
  for (const { sessionId, id } of verdicts) {
    if (!among.has(id)) continue;
    const ids = bySession.get(sessionId) ?? new Set();
    bySession.set(sessionId, ids.add(id));
  }
  return new Map(Array.from(bySession, ([session, ids]) => [session, [...ids]]));
}
