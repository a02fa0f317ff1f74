import type { Json } from './conversation.ts';
import { parseObject } from './json.ts';

/** One event of a streamed reply: a server-sent event, or an object of a JSON array. */
export class StreamEvent {
  /** Its bytes, including what separates it from others. */
  readonly raw: Buffer;
  /** The `data` lines, joined, or the object; empty if there are none. */
  readonly data: string;
  #json: Json | null | undefined;

  constructor(raw: Buffer, data: string) {
    this.raw = raw;
    this.data = data;
  }

  /** The data as a JSON object; undefined if it is none. */
  get json(): Json | undefined {
    if (this.#json === undefined) this.#json = this.data === '' ? null : (parseObject(this.data) ?? null);
    return this.#json ?? undefined;
  }
}
