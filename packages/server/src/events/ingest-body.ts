import type { FormatName } from '@loopwatch/contract';
import type { RecordSink } from '@loopwatch/log';
import { HttpProblem } from '../http/problem.ts';
import type { Reserve } from './buffer-limit.ts';
import { EventBatcher, type LogFailure } from './event-batcher.ts';
import type { EventCounts } from './event-counts.ts';
import { limits } from './limits.ts';
import { EventReader, type EventReaderOptions, isJson, type PieceRead } from './read-event.ts';
import { splitBody } from './split-body.ts';
import type { TimeSlicer } from './time-slicer.ts';

export interface IngestOptions {
  readonly format: FormatName | 'auto';
  /** The session of records of a format that names none. */
  readonly session?: string | undefined;
  /** Whether the body says that it is lines. */
  readonly areLines: boolean;
  readonly sink: RecordSink;
  /** The topic of agent events. */
  readonly topic: string;
  /** Wall clock in epoch ms: the `time` of events that have none. */
  readonly now: () => number;
  readonly turns: TimeSlicer;
  readonly hold: Reserve;
  readonly counts: EventCounts;
  /** Called with each event that can go to the log, in their order. */
  readonly onEvent: EventReaderOptions['onEvent'];
  /** Called with the wall clock when events are in the log. */
  readonly onAccepted: (at: number) => void;
}

/** Why a body was not read to its end. */
export interface IngestResult {
  readonly failure?: LogFailure;
  readonly unread?: { readonly fromLine: number; readonly problem: HttpProblem };
}

/** Takes the events of a body as they arrive; what was read before it stopped goes to the log. */
export async function ingestBody(
  chunks: AsyncGenerator<Buffer>,
  { format, session, areLines, sink, topic, now, turns, hold, counts, onEvent, onAccepted }: IngestOptions,
): Promise<IngestResult> {
  const batcher = new EventBatcher({
    sink,
    hold,
    onWritten: (events) => {
      counts.written(events);
      onAccepted(now());
    },
    onRejected: (rejection) => {
      counts.reject(rejection);
    },
  });
  const reader = new EventReader({ format, session, topic, now, onEvent });
  const take = async ({ events, rejections, ignored }: PieceRead): Promise<void> => {
    counts.ignore(ignored);
    for (const rejection of rejections) counts.reject(rejection);
    for (const event of events) await batcher.add(event);
  };
  let fromLine = 1;
  let problem: HttpProblem | undefined;
  try {
    let began = await turns.next();
    for await (const piece of splitBody(chunks, { areLines, isJson, hold })) {
      fromLine = piece.line;
      if (batcher.failure !== undefined) break;
      if (counts.rejected >= limits.refused) throw tooManyRefused(fromLine);
      await take(reader.read(piece));
      fromLine += 1;
      if (turns.isOver(began)) began = await turns.next();
    }
  } catch (error) {
    if (!(error instanceof HttpProblem)) throw error;
    problem = error;
  } finally {
    await take(reader.end());
    await batcher.flush();
  }
  const { failure } = batcher;
  if (failure !== undefined) return { failure };
  return problem === undefined ? {} : { unread: { fromLine, problem } };
}

function tooManyRefused(line: number): HttpProblem {
  const detail = `${String(limits.refused)} lines before line ${String(line)} are no events; send the rest in another request once it is mended`;
  return new HttpProblem(422, detail);
}
