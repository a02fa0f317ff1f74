import type { AgentEvent } from '@loopwatch/contract';
import { remember } from './remember.ts';

/** More ids than the histories of an agent have, which deletes them after weeks; an id takes about 150 bytes. */
const MAX_IDS = 1_000_000;

/**
 * Tells events that were copied from another session: a resumed or forked session begins with the history of the one before,
 * under the same ids. An event belongs to the owner that its id came with first.
 */
export class Copies {
  readonly #owners = new Map<string, string>();
  readonly #limit: number;

  /** @param limit how many ids are remembered; the oldest are forgotten first */
  constructor(limit = MAX_IDS) {
    this.#limit = limit;
  }

  /**
   * Tells whether an event is a copy; if its id is new, the event becomes its owner's.
   *
   * @param owner what the event belongs to unless it is a copy; default: its session
   * @returns false for an event without an id, which nothing identifies
   */
  isCopy({ id, sessionId }: AgentEvent, owner = sessionId ?? ''): boolean {
    if (typeof id !== 'string') return false;
    const first = this.#owners.get(id);
    if (first !== undefined) return first !== owner;
    remember(this.#owners, id, owner, this.#limit);
    return false;
  }

  /** Forgets what belongs to these owners, so that it can come again. */
  forget(owners: ReadonlySet<string>): void {
    for (const [id, owner] of this.#owners) if (owners.has(owner)) this.#owners.delete(id);
  }
}
