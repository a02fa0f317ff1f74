import type { DetectorId, EvidenceOf } from '@loopwatch/contract';
import type { PureVerdict } from '../src/index.ts';

type Field = { [D in DetectorId]: keyof EvidenceOf<D> }[DetectorId];
type ValueOf<F extends Field> = {
  [D in DetectorId]: F extends keyof EvidenceOf<D> ? EvidenceOf<D>[F] : never;
}[DetectorId];

/** A field of the evidence, whichever detector wrote it; undefined where it has none of that name. */
export function shown<F extends Field>(verdict: PureVerdict | undefined, field: F): ValueOf<F> | undefined {
  return (verdict?.evidence as Partial<Record<F, ValueOf<F>>> | undefined)?.[field];
}
