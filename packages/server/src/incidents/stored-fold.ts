import { jsonText } from '@loopwatch/storage';
import type { FoldedEvidence, FoldedRow, IncidentFold } from './fold.ts';

/** A fold as stored: the part that lists need, and separately the evidence, which may be large. */
export interface StoredFold {
  readonly fold: string;
  readonly evidence: string;
}

export function storeFold({ evidence, lastEvidence, ...row }: IncidentFold): StoredFold {
  const seen: FoldedEvidence = { evidence, lastEvidence };
  return { fold: jsonText(row satisfies FoldedRow), evidence: jsonText(seen) };
}

export function readFold({ fold, evidence }: StoredFold): IncidentFold {
  return { ...readRow(fold), ...(JSON.parse(evidence) as FoldedEvidence) };
}

export function readRow(fold: string): FoldedRow {
  return JSON.parse(fold) as FoldedRow;
}
