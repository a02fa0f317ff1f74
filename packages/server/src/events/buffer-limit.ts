import { HttpProblem } from '../http/problem.ts';
import { limits } from './limits.ts';

/** Accounts for bytes that a request starts to buffer; negative: no longer buffers. Throws 429 when the buffer is full. */
export type Reserve = (bytes: number) => void;

/** Bounds what all requests together buffer until the log has written it. */
export class BufferLimit {
  #bytes = 0;
  #requests = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Admits one request; `release` frees all that it has reserved.
   *
   * @throws HttpProblem 429 when too many requests are running
   */
  admit(): { readonly reserve: Reserve; readonly release: () => void } {
    if (this.#requests >= limits.concurrentRequests) throw bufferFull();
    this.#requests += 1;
    let reserved = 0;
    return {
      reserve: (bytes) => {
        if (bytes > 0 && this.#bytes + bytes > limits.bufferedBytes) throw bufferFull();
        reserved += bytes;
        this.#bytes += bytes;
      },
      release: () => {
        this.#bytes -= reserved;
        this.#requests -= 1;
      },
    };
  }
}

function bufferFull(): HttpProblem {
  const detail = 'Events arrive faster than the event log writes them; retry in a moment';
  return new HttpProblem(429, detail, { accepted: 0 }, undefined, { 'retry-after': '1' });
}
