import type { Json } from '../conversation.ts';

/** Total bytes of the remembered requests; their parsed form takes about as much again. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_REQUEST_BYTES = 32 * 1024 * 1024;

/** A parsed request, with the offsets of its history's elements. */
export interface ParsedBody {
  readonly raw: Buffer;
  /** Key of the list with the history. */
  readonly key: string;
  /** Offset after the list's `[`. */
  readonly start: number;
  /** Offsets after its elements. */
  readonly ends: readonly number[];
  /** Offset of its `]`. */
  readonly end: number;
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

  /** @param replaced the request that it continues */
  add(body: ParsedBody, replaced: ParsedBody | undefined): void {
    if (replaced !== undefined) this.#remove(replaced);
    if (body.raw.length > MAX_REQUEST_BYTES) return;
    this.#sorted.splice(this.#indexOf(body.raw), 0, body);
    this.#used.add(body);
    this.#bytes += body.raw.length;
    for (const oldest of this.#used) {
      if (this.#bytes <= MAX_BYTES) return;
      this.#remove(oldest);
    }
  }

  #remove(body: ParsedBody): void {
    if (!this.#used.delete(body)) return;
    this.#bytes -= body.raw.length;
    // Comparing references is faster than searching by the bytes, which the request's neighbors share.
    this.#sorted.splice(this.#sorted.indexOf(body), 1);
  }

  /** The index of the first request that is not less than these bytes. */
  #indexOf(raw: Buffer): number {
    let from = 0;
    let to = this.#sorted.length;
    while (from < to) {
      const middle = (from + to) >> 1;
      const known = this.#sorted[middle];
      if (known !== undefined && known.raw.compare(raw) < 0) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}

/** The number of leading elements with the same bytes at the same offsets. */
function sharedElements({ raw: known, ends }: ParsedBody, raw: Buffer): number {
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
