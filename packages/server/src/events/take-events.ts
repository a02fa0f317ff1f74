import type { FormatName } from '@loopwatch/contract';
import type { RecordSink } from '@loopwatch/log';
import { HttpProblem } from '../http/problem.ts';
import { EventLots, type LogFailure } from './event-lots.ts';
import type { Hold } from './held-bodies.ts';
import { limits } from './limits.ts';
import { EventReader, type EventReaderOptions, isJson, type PieceRead } from './read-event.ts';
import { splitBody } from './split-body.ts';
import type { Tally } from './tally.ts';
import type { Turns } from './turns.ts';

export interface TakeOptions {
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
  readonly turns: Turns;
  readonly hold: Hold;
  readonly tally: Tally;
  /** Called with each event that can go to the log, in their order. */
  readonly onEvent: EventReaderOptions['onEvent'];
  /** Called with the wall clock when events are in the log. */
  readonly onAccepted: (at: number) => void;
}

/** Why a body was not read to its end. */
export interface Unfinished {
  readonly failure?: LogFailure;
  readonly unread?: { readonly fromLine: number; readonly problem: HttpProblem };
}

/** Takes the events of a body as they arrive; what was read before it stopped goes to the log. */
export async function takeEvents(
  chunks: AsyncGenerator<Buffer>,
  { format, session, areLines, sink, topic, now, turns, hold, tally, onEvent, onAccepted }: TakeOptions,
): Promise<Unfinished> {
  const lots = new EventLots({
    sink,
    hold,
    onWritten: (events) => {
      tally.written(events);
      onAccepted(now());
    },
    onRejected: (rejection) => {
      tally.reject(rejection);
    },
  });
  const reader = new EventReader({ format, session, topic, now, onEvent });
  const take = async ({ events, rejections, ignored }: PieceRead): Promise<void> => {
    tally.ignore(ignored);
    for (const rejection of rejections) tally.reject(rejection);
    for (const event of events) await lots.add(event);
  };
  let fromLine = 1;
  let problem: HttpProblem | undefined;
  try {
    let began = await turns.next();
    for await (const piece of splitBody(chunks, { areLines, isJson, hold })) {
      fromLine = piece.line;
      if (lots.failure !== undefined) break;
      if (tally.rejected >= limits.refused) throw tooManyRefused(fromLine);
      await take(reader.read(piece));
      fromLine += 1;
      if (turns.isOver(began)) began = await turns.next();
    }
  } catch (error) {
    if (!(error instanceof HttpProblem)) throw error;
    problem = error;
  } finally {
    await take(reader.end());
    await lots.flush();
  }
  const { failure } = lots;
  if (failure !== undefined) return { failure };
  return problem === undefined ? {} : { unread: { fromLine, problem } };
}

function tooManyRefused(line: number): HttpProblem {
  const detail = `${String(limits.refused)} lines before line ${String(line)} are no events; send the rest in another request once it is mended`;
  return new HttpProblem(422, detail);
}
