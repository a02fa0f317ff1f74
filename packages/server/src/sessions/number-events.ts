import { createHash } from 'node:crypto';
import type { SessionEvent } from '@loopwatch/contract/api';
import type { SessionRecord } from './scan-records.ts';
import { serializableEvent } from './serializable-event.ts';

/** What numbering needs to know about the preceding events. */
export interface NumberingState {
  /** The index of the next event; null: unknown. */
  readonly index: number | null;
  /** Short hashes of known event ids, oldest first. */
  readonly known: readonly string[];
}

export const firstEvent: NumberingState = { index: 0, known: [] };

/** Marks duplicates and gives the other events their index, as verdicts count them. */
export function numberEvents(
  records: readonly SessionRecord[],
  state: NumberingState,
): { items: SessionEvent[]; state: NumberingState } {
  let { index } = state;
  const known = new Set(state.known);
  const items = records.map(({ offset, timestamp, decoded }): SessionEvent => {
    const position = { offset: String(offset), timestamp };
    if (!decoded.ok)
      return { ...position, eventIndex: null, duplicate: false, event: null, error: decoded.message };
    const { event } = decoded;
    const hash = typeof event.id === 'string' ? shortHash(event.id) : undefined;
    const duplicate = hash !== undefined && known.has(hash);
    const eventIndex = duplicate ? null : index;
    if (hash !== undefined) known.add(hash);
    if (!duplicate && index !== null) index += 1;
    return { ...position, eventIndex, duplicate, event: serializableEvent(event), error: null };
  });
  return { items, state: { index, known: [...known] } };
}

/** Numbers events relative to one whose index is known; if that event is not among them, all indexes are null. */
export function indexFromAnchor(
  items: readonly SessionEvent[],
  anchor: { readonly offset: number; readonly index: number } | undefined,
): SessionEvent[] {
  const position = items.findIndex(({ offset }) => Number(offset) === anchor?.offset);
  if (anchor === undefined || position === -1) return items.map((item) => ({ ...item, eventIndex: null }));
  const counts = (item: SessionEvent): boolean => item.event !== null && !item.duplicate;
  const before = items.slice(0, position).filter(counts).length;
  let index = anchor.index - before;
  return items.map((item) => {
    if (!counts(item)) return { ...item, eventIndex: null };
    index += 1;
    return { ...item, eventIndex: index - 1 };
  });
}

function shortHash(id: string): string {
  return createHash('sha256').update(id).digest('base64url').slice(0, 6);
}
