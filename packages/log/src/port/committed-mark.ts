import * as z from 'zod';
import type { StepPosition } from './task.ts';

/**
 * What a log stores of a position. Every version reads `resumeFrom`; one that does not know `own`, or cannot read the saved state,
 * rebuilds everything from there.
 */
export interface CommittedMark {
  readonly resumeFrom: number;
  /** For tasks that read this format of the saved state. */
  readonly own?: z.infer<typeof ownSchema>;
}

const offset = z.number().int().nonnegative();
const ownSchema = z.object({
  /** Versions that do not know `own` may leave it beside a later position. */
  position: offset,
  resumeFrom: offset,
  format: z.number(),
  since: offset,
});

export function toMark({ position, resumeFrom, rebuildFrom, mark }: StepPosition): CommittedMark {
  if (mark === undefined) return { resumeFrom };
  return { resumeFrom: rebuildFrom ?? resumeFrom, own: { position, resumeFrom, ...mark } };
}

/** @param own what a log stored as {@link CommittedMark.own} */
export function fromMark(position: number, resumeFrom: number, own: unknown): StepPosition {
  const read = ownSchema.safeParse(own);
  if (!read.success || read.data.position !== position) return { position, resumeFrom };
  const { format, since } = read.data;
  return { position, resumeFrom: read.data.resumeFrom, rebuildFrom: resumeFrom, mark: { format, since } };
}
