import type { SessionEvent, Stamp } from './format.ts';
import { HistoryIds } from './history-ids.ts';
import type { Message } from './message.ts';
import { eventsOf } from './message-events.ts';
import { remember } from './remember.ts';

/** Sessions whose messages get ids from all before them; those of a forgotten one get them as from its start. */
const MAX_HISTORIES = 10_000;

/**
 * Turns the messages of a log, each of which is written once, into events. The ids of events derive from those of the records,
 * which copies of a log share, or else from all messages before.
 */
export class MessageLog {
  readonly #histories = new Map<string, HistoryIds>();

  /** @param recordId id of the record that holds the messages */
  read(messages: readonly Message[], stamp: Stamp, recordId: string | undefined): SessionEvent[] {
    const history = this.#histories.get(stamp.sessionId) ?? new HistoryIds('', true);
    remember(this.#histories, stamp.sessionId, history, MAX_HISTORIES);
    return messages
      .filter(({ role }) => role !== 'system')
      .flatMap((message, i) =>
        recordId === undefined
          ? eventsOf(message, history.message(message), history.part, stamp)
          : eventsOf(message, i === 0 ? recordId : `${recordId}/${String(i)}`, fallbackId, stamp),
      );
  }
}

function fallbackId(_kind: unknown, _id: unknown, fallback: string): string {
  return fallback;
}
