import type { AgentEvent } from '@loopwatch/contract';
import { isBoundary, isPiece } from './mask-streamed.ts';
import { type ScanOptions, type SessionRecord, scanBackward, scanForward } from './scan-records.ts';

/** Events of the session that are read: as long as a private key, token by token. */
const EVENTS = 1_000;
/** Records that are read to find them, those of other sessions included. */
const RECORDS = 4_000;

interface Around {
  readonly before: readonly AgentEvent[];
  readonly after: readonly AgentEvent[];
}

/**
 * Reads what continues the texts at both ends of a page: a secret may have begun before it, or end after it.
 *
 * @param events of the page, in their order
 * @param first offset of the first one
 * @param last offset of the last one
 */
export async function textAround(
  scan: Omit<ScanOptions, 'budget'>,
  events: readonly { readonly type: string }[],
  { first, last }: { readonly first: number; readonly last: number },
): Promise<Around> {
  const { start, end } = await scan.reader.bounds(scan.topicPartition);
  const options = { ...scan, budget: RECORDS };
  const [before, after] = await Promise.all([
    isInText(events) ? scanBackward(options, first, Math.max(start, first - RECORDS), EVENTS) : undefined,
    isInText(events.toReversed())
      ? scanForward(options, last + 1, Math.min(end, last + 1 + RECORDS), EVENTS)
      : undefined,
  ]);
  return { before: eventsOf(before?.records), after: eventsOf(after?.records) };
}

/** Whether the first event may be within a text. */
function isInText(events: readonly { readonly type: string }[]): boolean {
  const end = events.findIndex(isBoundary);
  return events.slice(0, end === -1 ? undefined : end).some(isPiece);
}

function eventsOf(records: readonly SessionRecord[] = []): AgentEvent[] {
  return records.flatMap(({ decoded }) => (decoded.ok ? [decoded.event] : []));
}
