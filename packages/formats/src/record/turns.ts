import type { Usage } from './conversation.ts';
import type { SessionEvent, Stamp } from './format.ts';

/**
 * The turns of a session whose producer does not mark them: a turn begins with the model's first piece of answer, and is over
 * when its usage is reported, or when the model answers again after its tools have run.
 */
export class Turns {
  #state: 'none' | 'answering' | 'acting' = 'none';
  /** The newest piece of the turn that is under way, or the result behind it. */
  #latest: { readonly stamp: Stamp; readonly id: string | undefined } | undefined;

  /** What comes before a piece of the model's answer. @param id of that piece */
  answer(stamp: Stamp, id: string | undefined): SessionEvent[] {
    const before = this.#state === 'acting' ? this.finish(stamp, id) : [];
    this.#latest = { stamp, id };
    if (this.#state === 'answering') return [];
    this.#state = 'answering';
    return [...before, { ...stamp, id: suffixed(id, 'turn'), type: 'turn_started' }];
  }

  /** A tool has answered: the next piece of the model's answer belongs to another turn. */
  act(stamp: Stamp): void {
    if (this.#latest !== undefined) this.#latest = { stamp, id: this.#latest.id };
    if (this.#state === 'answering') this.#state = 'acting';
  }

  /** The end of the file, which ends the turn that is under way. */
  end(): SessionEvent[] {
    return this.#latest === undefined ? [] : this.finish(this.#latest.stamp, this.#latest.id);
  }

  /** The end of the turn that is under way. @param id of the record that says so, where none is */
  finish(stamp: Stamp, id: string | undefined, usage?: Usage): SessionEvent[] {
    const latest = this.#state === 'none' ? undefined : this.#latest;
    this.#state = 'none';
    this.#latest = undefined;
    if (latest === undefined && usage === undefined) return [];
    const own = suffixed(latest === undefined ? id : latest.id, 'end');
    return [{ ...stamp, id: own, type: 'turn_finished', usage }];
  }
}

function suffixed(id: string | undefined, suffix: string): string | undefined {
  return id === undefined ? undefined : `${id}.${suffix}`;
}
