import { HttpProblem } from '../http/problem.ts';
import { limits } from './limits.ts';

/** What all requests together hold in memory until the log has it; a log that is slow makes producers wait. */
export class HeldBodies {
  #bytes = 0;
  #requests = 0;

  /**
   * Makes room for one request.
   *
   * @throws HttpProblem 429 where there is none
   */
  enter(): { readonly add: (bytes: number) => void; readonly leave: () => void } {
    if (this.#requests >= limits.heldRequests) throw busy();
    this.#requests += 1;
    let held = 0;
    return {
      add: (bytes) => {
        if (this.#bytes + bytes > limits.heldBytes) throw busy();
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
