import type { Json } from '../conversation.ts';

/** Total bytes of the remembered requests; their parsed form takes about as much again. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_REQUEST_BYTES = 32 * 1024 * 1024;
/** Room for what a request adds, relative to its length. */
const ROOM = 1.25;

/** A parsed request, with the offsets of its history's elements. */
export interface ParsedBody {
  /** The bytes before its history's `]`. */
  readonly head: Buffer;
  /** The other bytes. */
  readonly tail: Buffer;
  /** Key of the list with the history. */
  readonly key: string;
  /** Offset after the list's `[`. */
  readonly start: number;
  /** Offsets after its elements. */
  readonly ends: readonly number[];
  readonly elements: readonly unknown[];
  /** The other fields; the value of the list itself is meaningless. */
  readonly fields: Json;
}

/** The latest requests, ordered by their bytes, so that requests with the longest common beginning are neighbors. */
export class KnownRequests {
  readonly #sorted: ParsedBody[] = [];
  /** Least recently used first. */
  readonly #used = new Set<ParsedBody>();
  #bytes = 0;

  /**
   * The request with the longest common beginning. @returns the request, and the number of equal elements in its
   * history
   */
  nearest(raw: Buffer): { readonly earlier: ParsedBody | undefined; readonly shared: number } {
    const index = this.#indexOf(raw);
    let earlier: ParsedBody | undefined;
    let shared = 0;
    for (const known of [this.#sorted[index - 1], this.#sorted[index]]) {
      const count = known === undefined ? 0 : sharedElements(known, raw);
      if (count > shared) [earlier, shared] = [known, count];
    }
    return { earlier, shared };
  }

  /**
   * Copies the request's bytes: each buffer that is kept for long brings the next collection of the whole heap closer.
   *
   * @param replaced the request that it continues
   * @param shared the number of equal elements in their histories
   */
  add(given: ParsedBody, replaced: ParsedBody | undefined, shared: number): void {
    // One that is no longer known may have lost its bytes to another request.
    const isKnown = replaced !== undefined && this.#remove(replaced);
    const bytes = given.head.length + given.tail.length;
    if (bytes > MAX_REQUEST_BYTES) return;
    const room = isKnown ? replaced.head.buffer.byteLength : 0;
    const isContinued = isKnown && room >= given.head.length;
    const store = isContinued
      ? Buffer.from(replaced.head.buffer)
      : Buffer.allocUnsafeSlow(Math.ceil(ROOM * given.head.length));
    const same = isContinued ? (given.ends[shared - 1] ?? 0) : 0;
    given.head.copy(store, same, same);
    const body = { ...given, head: store.subarray(0, given.head.length) };
    this.#sorted.splice(this.#indexOf(body.head), 0, body);
    this.#used.add(body);
    this.#bytes += sizeOf(body);
    for (const oldest of this.#used) {
      if (this.#bytes <= MAX_BYTES) return;
      this.#remove(oldest);
    }
  }

  /** @returns whether it was known */
  #remove(body: ParsedBody): boolean {
    if (!this.#used.delete(body)) return false;
    this.#bytes -= sizeOf(body);
    // Comparing references is faster than searching by the bytes, which the request's neighbors share.
    this.#sorted.splice(this.#sorted.indexOf(body), 1);
    return true;
  }

  /** The index of the first request that is not less than these bytes. */
  #indexOf(raw: Buffer): number {
    let from = 0;
    let to = this.#sorted.length;
    while (from < to) {
      const middle = (from + to) >> 1;
      const known = this.#sorted[middle];
      if (known !== undefined && known.head.compare(raw) < 0) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}

/** The bytes that a request takes, unused room included. */
function sizeOf({ head, tail }: ParsedBody): number {
  return head.buffer.byteLength + tail.length;
}

/** The number of leading elements with the same bytes at the same offsets. */
function sharedElements({ head: known, ends }: ParsedBody, raw: Buffer): number {
  const isSame = (from: number, to: number): boolean =>
    to <= raw.length && raw.compare(known, from, to, from, to) === 0;
  // Most requests continue the whole of an earlier one.
  const last = ends.at(-1);
  if (last === undefined) return 0;
  if (isSame(0, last)) return ends.length;
  let same = 0;
  for (let below = ends.length; same < below - 1; ) {
    const middle = (same + below) >> 1;
    if (isSame(same === 0 ? 0 : (ends[same - 1] ?? 0), ends[middle - 1] ?? 0)) same = middle;
    else below = middle;
  }
  return same;
}
