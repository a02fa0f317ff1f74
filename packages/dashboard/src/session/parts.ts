import type { IncidentItem, SessionItem, SessionPart } from '@loopwatch/contract/api';

/** The part of a session that the page shows; its events have indexes of their own. */
export interface ShownPart {
  readonly part: SessionPart;
  /** From 0. */
  readonly index: number;
  readonly isLatest: boolean;
}

/** @param offset of a record in the part; default: the latest part */
export function partAt({ parts = [], ...latest }: SessionItem, offset = Infinity): ShownPart {
  const found = parts.findLastIndex(({ source }) => Number(source.firstOffset) <= offset);
  const index = Math.max(0, found);
  return { part: parts[index] ?? latest, index, isLatest: index >= parts.length - 1 };
}

/** Whether the incident was found in this part. */
export function isIn(session: SessionItem, index: number, { source }: Pick<IncidentItem, 'source'>): boolean {
  return source === null || partAt(session, Number(source.offset)).index === index;
}
