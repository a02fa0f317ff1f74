import type { SessionEvent, Stamp } from './format.ts';
import type { Usage } from './message.ts';

/**
 * Finds the turns (model responses) of a session whose producer does not mark them. A turn starts with the first output
 * of the model. It ends when its usage is reported, or when the model produces output again after its tools have run.
 */
export class Turns {
  #state: 'idle' | 'responding' | 'runningTools' = 'idle';
  /** Time of the latest output or result of the current turn, and id of its latest output. */
  #latest: { readonly stamp: Stamp; readonly id: string | undefined } | undefined;

  /** Call before an output of the model with this id. @returns the events that precede it */
  output(stamp: Stamp, id: string | undefined): SessionEvent[] {
    const before = this.#state === 'runningTools' ? this.finish(stamp, id) : [];
    this.#latest = { stamp, id };
    if (this.#state === 'responding') return [];
    this.#state = 'responding';
    return [...before, { ...stamp, id: suffixed(id, 'turn'), type: 'turn_started' }];
  }

  /** Call when a tool has returned a result: the next output of the model starts a new turn. */
  toolResult(stamp: Stamp): void {
    if (this.#latest !== undefined) this.#latest = { stamp, id: this.#latest.id };
    if (this.#state === 'responding') this.#state = 'runningTools';
  }

  /** Ends the current turn at the end of the file. The file may grow and then report its usage, under the id of an end. */
  end(): SessionEvent[] {
    if (this.#latest === undefined) return [];
    const { stamp, id } = this.#latest;
    return this.finish(stamp, id).map((end) => ({ ...end, id: suffixed(id, 'cut') }));
  }

  /**
   * Ends the current turn: at the time of its usage report, or at its latest output or result, as what follows may come days
   * later. @param id of the record that ends it, for a usage report without a current turn
   */
  finish(stamp: Stamp, id: string | undefined, usage?: Usage): SessionEvent[] {
    const latest = this.#state === 'idle' ? undefined : this.#latest;
    this.#state = 'idle';
    this.#latest = undefined;
    if (latest === undefined && usage === undefined) return [];
    const own = suffixed(latest === undefined ? id : latest.id, 'end');
    const end = usage === undefined && latest !== undefined ? latest.stamp : stamp;
    return [{ ...end, id: own, type: 'turn_finished', usage }];
  }
}

function suffixed(id: string | undefined, suffix: string): string | undefined {
  return id === undefined ? undefined : `${id}.${suffix}`;
}
