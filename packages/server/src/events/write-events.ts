import { LogError, type VerdictSink } from '@loopwatch/log';
import type { PostedEvent, Rejection } from './read-events.ts';

/** Bytes that go to the log at once, so that a body of many megabytes keeps nothing else waiting. */
const batchBytes = 512 * 1024;

/** How far a body got into the log. */
export interface Written {
  readonly events: readonly PostedEvent[];
  /** Those the log is too small for. */
  readonly rejected: readonly Rejection[];
  /** The log failed here; what is behind was not written, and the batch it begins perhaps in part. */
  readonly failed: { readonly line: number; readonly error: unknown } | undefined;
}

/** Writes events in their order, batch by batch. */
export async function writeEvents(sink: VerdictSink, events: readonly PostedEvent[]): Promise<Written> {
  const written: PostedEvent[] = [];
  const rejected: Rejection[] = [];
  for (const batch of batchesOf(events)) {
    // A record that is refused for its size must not take its neighbours with it.
    for (const part of await parts(sink, batch)) {
      if ('error' in part) return { events: written, rejected, failed: part };
      if ('code' in part) rejected.push(part);
      else written.push(...part.events);
    }
  }
  return { events: written, rejected, failed: undefined };
}

type Part =
  | { readonly events: readonly PostedEvent[] }
  | Rejection
  | { readonly line: number; readonly error: unknown };

async function parts(sink: VerdictSink, batch: readonly PostedEvent[]): Promise<Part[]> {
  const [first] = batch;
  if (first === undefined) return [];
  try {
    await sink.publish(batch.map(({ record }) => record));
    return [{ events: batch }];
  } catch (error) {
    const { line } = first;
    if (!(error instanceof LogError && error.code === 'record_too_large')) return [{ line, error }];
    if (batch.length === 1) {
      return [{ line, code: 'too_large', detail: 'the event log takes no event that large' }];
    }
  }
  const single: Part[] = [];
  for (const one of batch) {
    const [part] = await parts(sink, [one]);
    if (part === undefined) continue;
    single.push(part);
    if ('error' in part) break;
  }
  return single;
}

function* batchesOf(events: readonly PostedEvent[]): Generator<PostedEvent[]> {
  let batch: PostedEvent[] = [];
  let bytes = 0;
  for (const event of events) {
    const { value } = event.record;
    const size = value?.length ?? 0;
    if (batch.length > 0 && bytes + size > batchBytes) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(event);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
