import type { Json } from './conversation.ts';
import { parseObject } from './json.ts';

/** Events that say nothing: of Anthropic's Messages, and of OpenAI's Responses. */
const keepAlives = new Set<unknown>(['ping', 'keepalive']);
const MAX_KEEP_ALIVE_UNITS = 64;
const comments = /^[\r\n]*(?::[^\r\n]*[\r\n]+)+$/;

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

  /** Whether it only keeps the connection alive, as comments do. */
  get isKeepAlive(): boolean {
    if (this.data === '') return comments.test(this.raw.toString('latin1'));
    return this.data.length <= MAX_KEEP_ALIVE_UNITS && keepAlives.has(this.json?.['type']);
  }

  /** The data as a JSON object; undefined if it is none. */
  get json(): Json | undefined {
    if (this.#json === undefined) this.#json = this.data === '' ? null : (parseObject(this.data) ?? null);
    return this.#json ?? undefined;
  }
}
