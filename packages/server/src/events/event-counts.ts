import type { PostedEvents } from '@loopwatch/contract/api';
import type { ServerMetrics } from '../metrics.ts';
import { limits } from './limits.ts';
import { hasKnownType, type PostedEvent, type Rejection } from './read-event.ts';
import type { RecentIds } from './recent-ids.ts';

/** What became of the events of one request. */
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

  /** Whether any of it could be used. */
  get hasUsable(): boolean {
    return this.#accepted + this.#duplicates + this.#ignored.size > 0;
  }

  /** Counts events that are in the log. */
  written(events: readonly PostedEvent[]): void {
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

  /** Counts records of other formats that say nothing of loops; they are not in the log. */
  ignore(types: readonly string[]): void {
    for (const type of types) this.#countIgnored(type);
    this.#count('ignored', types.length);
  }

  reject(rejection: Rejection): void {
    this.#rejectedTotal += 1;
    if (this.#rejected.length < limits.listed) this.#rejected.push(rejection);
    this.#count('rejected', 1);
  }

  /** Counts events that the log did not take. */
  failed(events: number): void {
    this.#count('failed', events);
  }

  answer(): PostedEvents {
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
