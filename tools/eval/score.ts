import type { LabelVerdict } from './labels.ts';

/** Outcome of a session: its label and whether it was flagged. */
export type Outcome =
  | 'found'
  | 'missed'
  | 'false_alarm'
  | 'silent'
  | 'borderline_flagged'
  | 'borderline_silent'
  | 'unlabelled_flagged'
  | 'unlabelled_silent';

const outcomes: Record<LabelVerdict | 'unlabelled', { flagged: Outcome; silent: Outcome }> = {
  loop: { flagged: 'found', silent: 'missed' },
  not_loop: { flagged: 'false_alarm', silent: 'silent' },
  borderline: { flagged: 'borderline_flagged', silent: 'borderline_silent' },
  unlabelled: { flagged: 'unlabelled_flagged', silent: 'unlabelled_silent' },
};

export function outcomeOf(verdict: LabelVerdict | null, flagged: boolean): Outcome {
  return outcomes[verdict ?? 'unlabelled'][flagged ? 'flagged' : 'silent'];
}

/** Precision and recall exclude borderline sessions; they are `null` without sessions. */
export interface Score {
  readonly found: number;
  readonly missed: number;
  readonly falseAlarms: number;
  readonly precision: number | null;
  readonly recall: number | null;
  readonly borderline: number;
  readonly borderlineFlagged: number;
  readonly unlabelled: number;
  readonly unlabelledFlagged: number;
}

export function scoreOf(all: readonly Outcome[]): Score {
  const count = (...wanted: Outcome[]): number => all.filter((outcome) => wanted.includes(outcome)).length;
  const found = count('found');
  const missed = count('missed');
  const falseAlarms = count('false_alarm');
  return {
    found,
    missed,
    falseAlarms,
    precision: share(found, found + falseAlarms),
    recall: share(found, found + missed),
    borderline: count('borderline_flagged', 'borderline_silent'),
    borderlineFlagged: count('borderline_flagged'),
    unlabelled: count('unlabelled_flagged', 'unlabelled_silent'),
    unlabelledFlagged: count('unlabelled_flagged'),
  };
}

export function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

/** The smallest value that a fraction `part` of the values does not exceed; `null` without values. */
export function percentile(values: readonly number[], part: number): number | null {
  return values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(part * values.length) - 1)] ?? null;
}
