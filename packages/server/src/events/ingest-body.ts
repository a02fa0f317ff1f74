import type { AgentEvent } from '@loopwatch/contract';
import type { Copies } from '@loopwatch/formats';
import type { RecordSink } from '@loopwatch/log';
import { HttpProblem } from '../http/problem.ts';
import type { Reserve } from './buffer-limit.ts';
import { EventBatcher, type LogFailure } from './event-batcher.ts';
import type { EventCounts } from './event-counts.ts';
import { IngestPace } from './ingest-pace.ts';
import { limits } from './limits.ts';
import { EventReader, type EventReaderOptions, isJson, type PieceRead } from './read-event.ts';
import { type Piece, splitBody } from './split-body.ts';

/** How a body is to be read. */
export interface BodyFormat extends Pick<EventReaderOptions, 'format' | 'session' | 'mayControl'> {
  /** Whether the request declares the body as NDJSON. */
  readonly isNdjson: boolean;
}

export interface IngestOptions
  extends BodyFormat,
    Pick<EventReaderOptions, 'memory' | 'topic' | 'now' | 'onEvent'> {
  readonly sink: RecordSink;
  readonly copies: Copies;
  readonly slicer: TimeSlicer;
  /** Monotonic, ms. */
  readonly clock: () => number;
  readonly reserve: Reserve;
  readonly counts: EventCounts;
  /** Called with the wall clock when events are in the log. */
  readonly onAccepted: (at: number) => void;
}

/** Why a body was not read to its end; empty if it was. */
export interface IngestResult {
  readonly failure?: LogFailure;
  readonly unread?: { readonly fromLine: number; readonly problem: HttpProblem };
}

/** Writes the events of a body to the log as they arrive, up to where reading stopped. */
export async function ingestBody(
  chunks: AsyncGenerator<Buffer>,
  {
    format,
    session,
    mayControl,
    memory,
    isNdjson,
    sink,
    copies,
    topic,
    now,
    slicer,
    clock,
    reserve,
    counts,
    onEvent,
    onAccepted,
  }: IngestOptions,
): Promise<IngestResult> {
  const batcher = new EventBatcher({
    sink,
    reserve,
    onWritten: (events) => {
      counts.addWritten(events);
      onAccepted(now());
    },
    onRejected: (rejection) => {
      counts.addRejected(rejection);
    },
  });
  const pace = new IngestPace(clock);
  const isCopy = (event: AgentEvent): boolean => {
    const isOne = copies.isCopy(event);
    if (isOne) counts.addCopy();
    return isOne;
  };
  const reader = new EventReader({ format, session, mayControl, memory, isCopy, topic, now, onEvent });
  const add = async ({ events, rejections, ignored }: PieceRead): Promise<void> => {
    counts.addIgnored(ignored);
    for (const rejection of rejections) counts.addRejected(rejection);
    for (const event of events) await batcher.add(event);
  };
  let fromLine = 1;
  let startedAt = 0;
  const take = async (piece: Piece): Promise<void> => {
    await add(reader.read(piece));
    fromLine += 1;
    if (slicer.isOver(startedAt)) startedAt = await slicer.next();
  };
  let problem: HttpProblem | undefined;
  try {
    startedAt = await slicer.next();
    for await (const piece of splitBody(chunks, { isNdjson, isJson, reserve })) {
      fromLine = piece.line;
      if (batcher.failure !== undefined) break;
      if (counts.rejected >= limits.rejections) throw tooManyRejections(fromLine);
      pace.check(fromLine);
      await pace.during(piece.bytes?.length ?? 0, () => take(piece));
    }
  } catch (error) {
    if (!(error instanceof HttpProblem)) throw error;
    problem = error;
  } finally {
    await add(reader.end());
    await batcher.flush();
  }
  const { failure } = batcher;
  if (failure !== undefined) return { failure };
  return problem === undefined ? {} : { unread: { fromLine, problem } };
}

function tooManyRejections(line: number): HttpProblem {
  const detail = `${String(limits.rejections)} lines before line ${String(line)} are not valid events; fix them and send the rest in another request`;
  return new HttpProblem(422, detail);
}

/** How long one slice of work may block the event loop. */
const SLICE_MS = 8;

/** Cuts long work into slices. Each turn of the event loop runs one slice, however many requests are being read. */
export class TimeSlicer {
  #last: Promise<void> = Promise.resolve();

  isOver(startedAt: number): boolean {
    return performance.now() - startedAt > SLICE_MS;
  }

  /** Waits for the next slice. @returns when it starts */
  next(): Promise<number> {
    const turn = this.#last.then(() => new Promise<void>((resolve) => setImmediate(resolve)));
    this.#last = turn;
    return turn.then(() => performance.now());
  }
}
