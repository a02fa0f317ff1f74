import type { DetectorId } from '@loopwatch/contract';

/**
 * What a session's summary needs beside what the session's analyzer knows. It lies in the session's entry itself, because
 * there is one for every session in memory.
 */
export interface SessionMarks {
  /** Offset of its first event. */
  firstOffset: number;
  /** Event time of its first event, epoch ms. */
  startedAt: number;
  /** Event time of its latest summary, ms after the start; `null` when the next event needs one, as behind the end. */
  toldAt: number | null;
  /** Most sessions have nothing to be counted here. */
  tally: SessionTally | undefined;
}

export interface SessionTally {
  verdicts: number;
  /** Incidents ever opened. */
  readonly opened: Partial<Record<DetectorId, number>>;
  /** Ids of the checks that are recorded in the `checks` topic. */
  readonly checks: string[];
  /** How it went on, at its summaries behind the first: ms after the start, then events so far, in turn. */
  course: number[];
}

/** Points of a course; a longer one keeps every other. */
export const COURSE_POINTS = 16;

export function tallyOf(marks: SessionMarks): SessionTally {
  marks.tally ??= { verdicts: 0, opened: {}, checks: [], course: [] };
  return marks.tally;
}

export function noteCourse(tally: SessionTally, elapsed: number, events: number): void {
  tally.course.push(elapsed, events);
  if (tally.course.length > 2 * COURSE_POINTS) tally.course = tally.course.filter((_, i) => i % 4 < 2);
}

/** The marks alone, as they are kept; what comes later does not change them. */
export function copyMarks({ firstOffset, startedAt, toldAt, tally }: SessionMarks): SessionMarks {
  const copy = tally && {
    ...tally,
    opened: { ...tally.opened },
    checks: [...tally.checks],
    course: [...tally.course],
  };
  return { firstOffset, startedAt, toldAt, tally: copy };
}
