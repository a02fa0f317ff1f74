import type {
  SessionEvent,
  SessionEvents,
  SessionEventsQuery,
  SessionItem,
  SessionPart,
} from '@loopwatch/contract/api';
import type { RecordReader } from '@loopwatch/log';
import { encodeCursor } from '../http/cursor.ts';
import { decodeAfter, decodeBefore, encodeAfter } from './events-cursor.ts';
import { firstEvent, indexFromAnchor, type NumberingState, numberEvents } from './number-events.ts';
import { type ScanOptions, scanBackward, scanForward } from './scan-records.ts';

export interface EventsRequest {
  readonly session: SessionItem;
  readonly query: SessionEventsQuery;
  /** The position of the latest event of the incident in the query. */
  readonly around?: Anchor | undefined;
}

interface Anchor {
  readonly offset: number;
  readonly index: number;
}

const DEFAULT_LIMIT = 200;
/** Records that one request may scan. */
const BUDGET = 100_000;
/**
 * A page within this many records of the session's start is read with everything before it, so that its duplicates are the
 * same as in detection. Further on, only duplicates of the latest events are found.
 */
const NEAR_RECORDS = 5_000;
/** Events numbered at once on the way to an index. */
const CHUNK_EVENTS = 2_000;
/** Records read before a later page to find duplicates. */
const CONTEXT_RECORDS = 64;

/** Reads a page of a session's events from the log: from the start, the end, around an event, or by cursor. */
export async function sessionEvents(
  reader: RecordReader,
  { session, query, around }: EventsRequest,
): Promise<SessionEvents> {
  const part = partAt(session, query.part ?? around?.offset ?? offsetIn(query));
  const view = await viewOf(reader, session, part, query.limit ?? DEFAULT_LIMIT);
  const { source, events: total } = part;
  const latest = { offset: Number(source.lastOffset), index: total - 1 };
  const page = await pageOf(view, query, around, latest);
  return { ...page, total, source, gone: view.gone };
}

/** What can be read of a part of a session. */
export async function viewOf(
  reader: RecordReader,
  session: SessionItem,
  part: SessionPart,
  limit: number,
): Promise<View> {
  const { sessionId, state } = session;
  const { source } = part;
  const topicPartition = { topic: source.topic, partition: source.partition };
  const bounds = await reader.bounds(topicPartition);
  const first = Number(source.firstOffset);
  const isLatest = source.firstOffset === session.source.firstOffset;
  const isLive = isLatest && (state === 'live' || state === 'quiet');
  return {
    scan: { reader, topicPartition, sessionId, budget: BUDGET },
    first: Math.max(first, bounds.start),
    gone: bounds.start > first,
    numbered: bounds.start <= first && part.merged === undefined,
    // A live session may have events after its latest summary.
    live: isLive,
    end: isLive ? bounds.end : Math.min(Number(source.lastOffset) + 1, bounds.end),
    limit,
  };
}

/** The part of a session that has this offset; the latest if none is given. */
export function partAt({ parts = [], ...latest }: SessionItem, offset: number | undefined): SessionPart {
  const at = offset ?? Infinity;
  return parts.findLast(({ source }) => Number(source.firstOffset) <= at) ?? parts[0] ?? latest;
}

/** An offset in the part that the cursor is of. */
function offsetIn({ after, before }: SessionEventsQuery): number | undefined {
  if (after !== undefined) return decodeAfter(after).next;
  return before === undefined ? undefined : decodeBefore(before).end - 1;
}

export interface View {
  readonly scan: ScanOptions;
  readonly live: boolean;
  readonly first: number;
  readonly gone: boolean;
  /** Whether the first event is there, and has index 0. */
  readonly numbered: boolean;
  readonly end: number;
  readonly limit: number;
}

/** The start of a page, and what its cursor carries about preceding events. */
type StartOfPage = NumberingState & { readonly next: number };

const unknownBefore: NumberingState = { index: null, known: [] };

type PageOfEvents = Pick<SessionEvents, 'items' | 'before' | 'after' | 'scanned' | 'complete'>;

function pageOf(
  view: View,
  query: SessionEventsQuery,
  around: Anchor | undefined,
  latest: Anchor,
): Promise<PageOfEvents> {
  if (query.after !== undefined) return forward(view, decodeAfter(query.after));
  if (query.before !== undefined) {
    const { end, index } = decodeBefore(query.before);
    return backward(view, end, index === null ? undefined : { behind: index });
  }
  if (around !== undefined) return aroundEvent(view, around);
  if (query.at !== undefined) return aroundIndex(view, query.at, latest);
  if (query.end === true) return endOfSession(view, latest);
  return forward(view, { next: view.first, ...(view.numbered ? firstEvent : unknownBefore) });
}

async function forward(view: View, { next, ...carried }: StartOfPage): Promise<PageOfEvents> {
  const from = Math.max(next, view.first);
  const before = (await stateAt(view, from)) ?? carried;
  const scan = await scanForward(view.scan, from, view.end, view.limit);
  const { items, state } = numberEvents(scan.records, before);
  const isFull = items.length === view.limit;
  return {
    items,
    before: from > view.first ? encodeCursor({ end: from, index: before.index }) : null,
    after: atEnd(view, scan.next) ? null : encodeAfter({ next: scan.next, ...state }),
    scanned: scan.scanned,
    complete: isFull || scan.next >= view.end,
  };
}

/** The numbering state at a position; undefined when it is too far from the start, or the start is gone. */
async function stateAt(view: View, from: number): Promise<NumberingState | undefined> {
  if (!isNear(view, from)) return undefined;
  const all = Number.POSITIVE_INFINITY;
  const { records } = await scanForward({ ...view.scan, budget: all }, view.first, from, all);
  return numberEvents(records, firstEvent).state;
}

function isNear({ first, numbered }: View, offset: number): boolean {
  return numbered && offset - first <= NEAR_RECORDS;
}

/** A live session never ends: there is always a next page. */
function atEnd({ end, live }: View, next: number): boolean {
  return next >= end && !live;
}

/** @param known an event with known index, or the index of the event after the page */
async function backward(
  view: View,
  end: number,
  known: Anchor | { readonly behind: number } | undefined,
): Promise<PageOfEvents> {
  const to = Math.min(end, view.end);
  const wanted = isNear(view, to) ? Number.POSITIVE_INFINITY : view.limit + CONTEXT_RECORDS;
  const scan = await scanBackward(view.scan, to, view.first, wanted);
  const fromStart = scan.from <= view.first && view.numbered;
  const { items: numbered, state } = numberEvents(scan.records, fromStart ? firstEvent : unknownBefore);
  const all = fromStart ? numbered : indexFromAnchor(numbered, anchorIn(numbered, known));
  const items = all.slice(-view.limit);
  const index = nextIndex(all);
  const firstOffset = Number(items[0]?.offset ?? scan.from);
  const more = all.length > items.length || scan.from > view.first;
  return {
    items,
    before: more
      ? encodeCursor({ end: items.length === 0 ? scan.from : firstOffset, index: indexAt(items, index) })
      : null,
    after: atEnd(view, to) ? null : encodeAfter({ next: to, index, known: state.known }),
    scanned: scan.scanned,
    complete: items.length === view.limit || scan.from <= view.first,
  };
}

/** The latest events; if other sessions have written more since than one request may scan, up to those of the summary. */
async function endOfSession(view: View, latest: Anchor): Promise<PageOfEvents> {
  const page = await backward(view, view.end, latest);
  if (page.items.length > 0) return page;
  const known = await backward(view, latest.offset + 1, latest);
  if (known.after === null) return known;
  return { ...known, after: encodeAfter({ ...decodeAfter(known.after), next: view.end }) };
}

async function aroundEvent(view: View, anchor: Anchor): Promise<PageOfEvents> {
  const half = Math.ceil(view.limit / 2);
  const before = await backward({ ...view, limit: half }, anchor.offset + 1, anchor);
  if (before.after === null) return before;
  const after = await forward({ ...view, limit: view.limit - half }, decodeAfter(before.after));
  return {
    items: [...before.items, ...after.items],
    before: before.before,
    after: after.after,
    scanned: before.scanned + after.scanned,
    complete: before.complete && after.complete,
  };
}

/**
 * The events around an index. Most sessions have each event once and, at the time, the partition for themselves, so that the
 * numbers of their events tell the offset; else the events before it, or those after it if they are fewer, are read.
 */
async function aroundIndex(view: View, index: number, latest: Anchor): Promise<PageOfEvents> {
  if (!view.numbered) return backward(view, view.end, latest);
  const isAlone = latest.offset - view.first === latest.index;
  if (index <= latest.index && isAlone) return aroundEvent(view, { offset: view.first + index, index });
  if (index <= latest.index && index > latest.index / 2) {
    const wanted = latest.index - index + view.limit + CONTEXT_RECORDS;
    const { records } = await scanBackward(view.scan, latest.offset + 1, view.first, wanted);
    const items = indexFromAnchor(numberEvents(records, unknownBefore).items, latest);
    const found = items.find(({ eventIndex }) => eventIndex === index);
    if (found !== undefined) return aroundEvent(view, { offset: Number(found.offset), index });
  }
  let position: StartOfPage =
    index > latest.index ? await afterLatest(view, latest) : { next: view.first, ...firstEvent };
  for (let budget = BUDGET; budget > 0; ) {
    const scan = await scanForward(view.scan, position.next, view.end, CHUNK_EVENTS);
    const { items, state } = numberEvents(scan.records, position);
    const found = items.find(({ eventIndex }) => eventIndex === index);
    if (found !== undefined) return aroundEvent(view, { offset: Number(found.offset), index });
    budget -= Math.max(1, scan.scanned);
    position = { next: scan.next, ...state };
    if (scan.next >= view.end) break;
  }
  return backward(view, position.next, { behind: position.index ?? latest.index + 1 });
}

/** The position behind the latest event that the summary knows. */
async function afterLatest(view: View, latest: Anchor): Promise<StartOfPage> {
  const { records } = await scanBackward(view.scan, latest.offset + 1, view.first, CONTEXT_RECORDS);
  const { known } = numberEvents(records, unknownBefore).state;
  return { next: latest.offset + 1, index: latest.index + 1, known };
}

function anchorIn(
  items: readonly SessionEvent[],
  known: Anchor | { readonly behind: number } | undefined,
): Anchor | undefined {
  if (known === undefined || !('behind' in known)) return known;
  const last = items.findLast(({ event, duplicate }) => event !== null && !duplicate);
  return last && { offset: Number(last.offset), index: known.behind - 1 };
}

function nextIndex(items: readonly SessionEvent[]): number | null {
  const last = items.findLast(({ eventIndex }) => eventIndex !== null)?.eventIndex;
  return last == null ? null : last + 1;
}

/** The index of the first event of a page, else of the event after it. */
function indexAt(items: readonly SessionEvent[], behind: number | null): number | null {
  return items.find(({ eventIndex }) => eventIndex !== null)?.eventIndex ?? behind;
}
