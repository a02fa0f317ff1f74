import { HttpProblem } from '../http/problem.ts';
import { limits } from './limits.ts';

/** Counts bytes that a request begins to hold, or holds no longer; it throws 429 where there is no room for more. */
export type Reserve = (bytes: number) => void;

/** What all requests together hold in memory until the log has it. */
export class BufferLimit {
  #bytes = 0;
  #requests = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Makes room for one request.
   *
   * @throws HttpProblem 429 where there is none
   */
  enter(): { readonly hold: Reserve; readonly leave: () => void } {
    if (this.#requests >= limits.concurrentRequests) throw busy();
    this.#requests += 1;
    let held = 0;
    return {
      hold: (bytes) => {
        if (bytes > 0 && this.#bytes + bytes > limits.bufferedBytes) throw busy();
        held += bytes;
        this.#bytes += bytes;
      },
      leave: () => {
        this.#bytes -= held;
        this.#requests -= 1;
      },
    };
  }
}

function busy(): HttpProblem {
  const detail = 'The event log takes events more slowly than they come; send these again a little later';
  return new HttpProblem(429, detail, { accepted: 0 }, undefined, { 'retry-after': '1' });
}
