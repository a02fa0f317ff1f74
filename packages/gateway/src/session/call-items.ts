import { LRUCache } from 'lru-cache';
import type { Json } from '../api/conversation.ts';

/** Size of all items, in units of their JSON. */
const MAX_UNITS = 16 * 1024 * 1024;

/** An item, with the session whose reply had it. */
interface KnownItem {
  readonly item: Json;
  readonly sessionId: string;
}

/** Calls of replies by the id of their item, which a later request may name instead of repeating it. */
export class CallItems {
  readonly #items = new LRUCache<string, KnownItem>({
    maxSize: MAX_UNITS,
    sizeCalculation: ({ item }) => JSON.stringify(item).length,
  });

  note(items: readonly Json[], sessionId: string): void {
    for (const item of items)
      if (typeof item['id'] === 'string') this.#items.set(item['id'], { item, sessionId });
  }

  of(id: string): Json | undefined {
    return this.#items.get(id)?.item;
  }

  /** Forgets the calls of a session that was erased. */
  drop(sessionId: string): void {
    for (const [id, known] of this.#items.entries())
      if (known.sessionId === sessionId) this.#items.delete(id);
  }
}
