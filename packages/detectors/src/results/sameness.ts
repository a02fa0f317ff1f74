import { sha256 } from '../lib/digest.ts';
import type { HoleKind, LexedResult } from './lexed-result.ts';
import type { ResultKind } from './result-kind.ts';

/** A result without its random-looking tokens, and these. */
export interface Bulk {
  /** Equal for results that differ only in such tokens. */
  readonly form: string;
  /** The tokens in the order of the text, each on a line after the sign of its kind: one string takes less memory. */
  readonly holes: string;
}

/** What two results are compared by. */
export interface Comparable {
  /** Equal for results that differ at most in known volatile tokens. */
  readonly form: string;
  /** What is compared if the forms differ; `null` if a result has no random-looking token, or little else. */
  readonly bulk: Bulk | null;
  readonly kind: ResultKind;
}

const SIGNS: Readonly<Record<HoleKind, string>> = {
  id: 'i',
  number: 'n',
  size: 's',
  counter: 'c',
  news: '!',
};
const FORM_DIGITS = 32;
/** Words that the rest of a result must have, so that its tokens are not the answer; the name of a field is half a word. */
const MIN_WORDS = 5;
/** An error says what it says in few words. */
const MIN_ERROR_WORDS = 2;
/** Different tokens that may differ between two results; a page of rows has more. */
const MAX_DIFFERENT = 3;

export function bulkOf({ bulk, holes, words, keys }: LexedResult, kind: ResultKind): Bulk | null {
  if (holes === null || holes.length === 0) return null;
  if (words + keys / 2 < (kind === 'error' ? MIN_ERROR_WORDS : MIN_WORDS)) return null;
  return {
    form: sha256(bulk, FORM_DIGITS),
    holes: holes.map(({ kind, value }) => SIGNS[kind] + value).join('\n'),
  };
}

/** Whether the later of two results says the same, apart from tokens that look random and are not what was asked for. */
export function isAlike(before: Comparable, now: Comparable): boolean {
  if (before.form === now.form) return before.kind === now.kind;
  if (before.bulk === null || now.bulk === null || before.bulk.form !== now.bulk.form) return false;
  if (before.kind !== now.kind) return false;
  const [old, fresh] = [before.bulk.holes.split('\n'), now.bulk.holes.split('\n')];
  const different = new Set<string>();
  for (let i = 0; i < fresh.length; i += 1) {
    const [one = '', other = ''] = [old[i], fresh[i]];
    if (one === other) continue;
    if (other.startsWith(SIGNS.news)) return false;
    // A counter that falls counts down to something.
    if (other.startsWith(SIGNS.counter) && Number(other.slice(1)) <= Number(one.slice(1))) return false;
    different.add(`${one} ${other}`);
  }
  return different.size <= MAX_DIFFERENT;
}

/** Values that are enough to tell a direction. */
export const MIN_VALUES = 3;

/** A number that stands at the same place in several texts, oldest first. */
interface Column {
  readonly isSize: boolean;
  readonly values: readonly number[];
}

/** Whether a number in these results, oldest first, moves towards something. */
export function movesOn(results: readonly Comparable[]): boolean {
  const rows = results.map(({ bulk }) => bulk?.holes.split('\n') ?? []);
  const kinds = rows.at(-1) ?? [];
  const columns = kinds.flatMap((hole, i): Column[] => {
    const isSize = hole.startsWith(SIGNS.size);
    if (!isSize && !hole.startsWith(SIGNS.number)) return [];
    return [
      { isSize, values: rows.map((row) => Number.parseFloat(row[i]?.slice(1).replace(':', '.') ?? '')) },
    ];
  });
  return oneMoves(columns);
}

/** The same for lists of numbers, each separated by spaces. */
export function numbersMoveOn(lists: readonly string[]): boolean {
  const rows = lists.map((list) => list.split(' ').map(Number));
  return oneMoves(
    (rows[0] ?? []).map((_, i) => ({ isSize: false, values: rows.map((row) => row[i] ?? Number.NaN) })),
  );
}

/** Whether a number falls, a size grows, or a number rises towards a larger one that stays. */
function oneMoves(columns: readonly Column[]): boolean {
  return columns.some(({ isSize, values }) => {
    if (values.length < MIN_VALUES) return false;
    if (isMonotonic(values, -1)) return true;
    const latest = values.at(-1) ?? 0;
    const isGoal = (other: Column) =>
      other.values.every((value) => value === other.values[0] && value > latest);
    return isMonotonic(values, 1) && (isSize || columns.some(isGoal));
  });
}

function isMonotonic(values: readonly number[], direction: 1 | -1): boolean {
  return values.every((value, i) => i === 0 || (value - (values[i - 1] ?? value)) * direction > 0);
}
