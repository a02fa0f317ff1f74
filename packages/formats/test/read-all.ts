import type { AgentEvent, FormatName } from '@loopwatch/contract';
import { Translator } from '../src/index.ts';

/** The translation of the records of one file. */
export function readAll(
  format: FormatName | 'auto',
  records: readonly unknown[],
  session: string | undefined = 'file',
) {
  const translator = new Translator({ format, session });
  const read = records.map((record) => translator.readValue(record));
  return {
    events: [...read.flatMap(({ events }) => events), ...translator.end()],
    ignored: read.flatMap(({ ignored }) => ignored),
    faults: read.flatMap(({ faults }) => faults),
  };
}

/** The types of events with their main field, for concise assertions. */
export function outline(events: readonly AgentEvent[]): string[] {
  return events.map((event) => {
    const detail = event['text'] ?? event['name'] ?? event['result'];
    return detail === undefined
      ? event.type
      : `${event.type} ${typeof detail === 'string' ? detail : JSON.stringify(detail)}`;
  });
}
