import type { EvidenceOf } from '@loopwatch/contract';

/** Where a text repeats, in the terms of what is drawn. */
export interface Repetitions {
  /** One period of what repeats. */
  readonly repeated: string;
  /** Offsets in the session's text where a repetition ends, ascending. */
  readonly ends: readonly number[];
  readonly excerpt: { readonly from: number; readonly text: string } | undefined;
}

/** Positions are where the compared window begins; what repeats is as long as a period and ends with it. */
export function repetitionsOf({
  repeated = '',
  window,
  positions = [],
  excerpt,
}: Omit<EvidenceOf<'content-repeat'>, 'at'>): Repetitions {
  const length = window?.length ?? repeated.length;
  return { repeated, ends: positions.map((position) => position + length).sort((a, b) => a - b), excerpt };
}
