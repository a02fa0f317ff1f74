import type { Usage } from './conversation.ts';
import type { SessionEvent, Stamp } from './format.ts';

/**
 * The turns of a session whose producer does not mark them: a turn begins with the model's first piece of answer, and is over
 * when its usage is reported, or when the model answers again after its tools have run.
 */
export class Turns {
  #state: 'none' | 'answering' | 'acting' = 'none';

  /** What comes before a piece of the model's answer. @param id of that piece */
  answer(stamp: Stamp, id: string | undefined): SessionEvent[] {
    if (this.#state === 'answering') return [];
    const before = this.#state === 'acting' ? this.finish(stamp, id) : [];
    this.#state = 'answering';
    return [...before, { ...stamp, id: suffixed(id, 'turn'), type: 'turn_started' }];
  }

  /** A tool has answered: the next piece of the model's answer belongs to another turn. */
  act(): void {
    if (this.#state === 'answering') this.#state = 'acting';
  }

  /** The end of the turn that is under way. */
  finish(stamp: Stamp, id: string | undefined, usage?: Usage): SessionEvent[] {
    const isOpen = this.#state !== 'none';
    this.#state = 'none';
    return isOpen || usage !== undefined
      ? [{ ...stamp, id: suffixed(id, 'end'), type: 'turn_finished', usage }]
      : [];
  }
}

function suffixed(id: string | undefined, suffix: string): string | undefined {
  return id === undefined ? undefined : `${id}.${suffix}`;
}
