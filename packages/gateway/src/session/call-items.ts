import { LRUCache } from 'lru-cache';
import type { Json } from '../api/conversation.ts';

/** Size of all items, in units of their JSON. */
const MAX_UNITS = 16 * 1024 * 1024;

/** Calls of replies by the id of their item, which a later request may name instead of repeating it. */
export class CallItems {
  readonly #items = new LRUCache<string, Json>({
    maxSize: MAX_UNITS,
    sizeCalculation: (item) => JSON.stringify(item).length,
  });

  note(items: readonly Json[]): void {
    for (const item of items) if (typeof item['id'] === 'string') this.#items.set(item['id'], item);
  }

  of(id: string): Json | undefined {
    return this.#items.get(id);
  }
}
