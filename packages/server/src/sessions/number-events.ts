import { createHash } from 'node:crypto';
import type { SessionEvent } from '@loopwatch/contract/api';
import type { SessionRecord } from './scan-records.ts';
import { serializableEvent } from './serializable-event.ts';

/** What has to be known of the events before, to number those behind. */
export interface NumberingState {
  /** The index that the next event gets; null where it is not known. */
  readonly index: number | null;
  /** Short hashes of the ids that are known, oldest first. */
  readonly known: readonly string[];
}

export const firstEvent: NumberingState = { index: 0, known: [] };

/** Tells duplicates from events and gives these their index, as verdicts count them. */
export function numberEvents(
  records: readonly SessionRecord[],
  state: NumberingState,
): { items: SessionEvent[]; state: NumberingState } {
  let { index } = state;
  const known = new Set(state.known);
  const items = records.map(({ offset, timestamp, decoded }): SessionEvent => {
    const place = { offset: String(offset), timestamp };
    if (!decoded.ok)
      return { ...place, eventIndex: null, duplicate: false, event: null, error: decoded.message };
    const { event } = decoded;
    const hash = typeof event.id === 'string' ? shortHash(event.id) : undefined;
    const duplicate = hash !== undefined && known.has(hash);
    const eventIndex = duplicate ? null : index;
    if (hash !== undefined) known.add(hash);
    if (!duplicate && index !== null) index += 1;
    return { ...place, eventIndex, duplicate, event: serializableEvent(event), error: null };
  });
  return { items, state: { index, known: [...known] } };
}

/** Where one event's index is known, gives the others theirs; null of all where it is not among them. */
export function indexFromAnchor(
  items: readonly SessionEvent[],
  anchor: { readonly offset: number; readonly index: number } | undefined,
): SessionEvent[] {
  const place = items.findIndex(({ offset }) => Number(offset) === anchor?.offset);
  if (anchor === undefined || place === -1) return items.map((item) => ({ ...item, eventIndex: null }));
  const counts = (item: SessionEvent): boolean => item.event !== null && !item.duplicate;
  const before = items.slice(0, place).filter(counts).length;
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
