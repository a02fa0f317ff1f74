import type { PostedEvents } from '@loopwatch/contract/api';
import type { ServerMetrics } from '../metrics/metrics.ts';
import { limits } from './limits.ts';
import { hasKnownType, type PostedEvent, type Rejection } from './read-event.ts';

const IDS_PER_GENERATION = 50_000;

/** The ids of the latest events that this server has accepted, 50,000 to 100,000 of them. */
export class RecentIds {
  #current = new Set<string>();
  #previous = new Set<string>();

  has(id: string): boolean {
    return this.#current.has(id) || this.#previous.has(id);
  }

  add(id: string): void {
    this.#current.add(id);
    if (this.#current.size < IDS_PER_GENERATION) return;
    this.#previous = this.#current;
    this.#current = new Set();
  }
}

/** Counts what happened to the events of one request, for its response and for the metrics. */
export class EventCounts {
  readonly #recent: RecentIds;
  readonly #counter: ServerMetrics['postedEvents'];
  #accepted = 0;
  #duplicates = 0;
  readonly #ignored = new Map<string, number>();
  readonly #rejected: Rejection[] = [];
  #rejectedTotal = 0;

  constructor(recent: RecentIds, counter: ServerMetrics['postedEvents']) {
    this.#recent = recent;
    this.#counter = counter;
  }

  get rejected(): number {
    return this.#rejectedTotal;
  }

  /** Whether the body held anything usable. */
  get hasUsable(): boolean {
    return this.#accepted + this.#duplicates + this.#ignored.size > 0;
  }

  /** Events that were written to the log. */
  addWritten(events: readonly PostedEvent[]): void {
    const accepted = this.#accepted;
    const duplicates = this.#duplicates;
    for (const event of events) {
      const { id, type } = event;
      if (id !== undefined && this.#recent.has(id)) this.#duplicates += 1;
      else if (hasKnownType(event)) this.#accepted += 1;
      else this.#countIgnored(type);
      if (id !== undefined) this.#recent.add(id);
    }
    this.#count('accepted', this.#accepted - accepted);
    this.#count('duplicate', this.#duplicates - duplicates);
    this.#count('ignored', events.length - (this.#accepted - accepted) - (this.#duplicates - duplicates));
  }

  /** An event that the log has from the session that it was copied from. */
  addCopy(): void {
    this.#duplicates += 1;
    this.#count('duplicate', 1);
  }

  /** Records of other formats that are irrelevant to loops, and are not written to the log. */
  addIgnored(types: readonly string[]): void {
    for (const type of types) this.#countIgnored(type);
    this.#count('ignored', types.length);
  }

  addRejected(rejection: Rejection): void {
    this.#rejectedTotal += 1;
    if (this.#rejected.length < limits.listedRejections) this.#rejected.push(rejection);
    this.#count('rejected', 1);
  }

  /** Events that the log failed to write. */
  addFailed(events: number): void {
    this.#count('failed', events);
  }

  toResponse(): PostedEvents {
    const rejected = this.#rejected.toSorted((a, b) => a.line - b.line);
    return {
      accepted: this.#accepted,
      duplicates: this.#duplicates,
      ignored: Object.fromEntries(this.#ignored),
      rejected,
      ...(this.#rejectedTotal > rejected.length && { rejectedTotal: this.#rejectedTotal }),
    };
  }

  #countIgnored(type: string): void {
    const ignored = this.#ignored;
    const name = ignored.has(type) || ignored.size < limits.listedTypes ? type.slice(0, 100) : 'other';
    ignored.set(name, (ignored.get(name) ?? 0) + 1);
  }

  #count(result: string, events: number): void {
    if (events > 0) this.#counter.inc({ result }, events);
  }
}
