import { setTimeout as delay } from 'node:timers/promises';

/** A session that loops has 5 calls and 2 verdicts; three of four end, which is one more of both. */
const VERDICTS_PER_SESSION = 2.75;
const CALLS = 5;
const TICK_MS = 200;
const MAX_WAIT_S = 5;
/** Of one request: a server that is behind answers a larger one only after minutes. */
const MAX_SESSIONS = 200;

/** Posts sessions that loop, and remembers when the server accepted each. */
export class LoopTraffic {
  /** When the server accepted the n-th session, epoch ms: each contains one loop. */
  readonly acceptedAt: number[] = [];
  /** Requests that the server refused with 429 because it was full; they were sent again. */
  refused = 0;
  #sent = 0;
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  /** Sends as many sessions as make so many verdicts per second, for so long. */
  async run(verdictsPerSecond: number, seconds: number): Promise<void> {
    const began = performance.now();
    const total = Math.round((verdictsPerSecond * seconds) / VERDICTS_PER_SESSION);
    while (this.#sent < total) {
      const due = Math.ceil((total * (performance.now() - began)) / (seconds * 1_000));
      const size = Math.min(MAX_SESSIONS, Math.min(total, due) - this.#sent);
      if (size > 0) await this.#post(size);
      if (size < MAX_SESSIONS) await delay(TICK_MS);
    }
  }

  /** How long ago the first session was accepted of which this number of loops lacks the loop, ms; 0 if none. */
  ageOf(loops: number, now: number): number {
    const at = this.acceptedAt[loops];
    return at === undefined ? 0 : Math.max(0, now - at);
  }

  async #post(size: number): Promise<void> {
    const lines = Array.from({ length: size }, (_, i) => sessionLines(this.#sent + i));
    const body = lines.flat().join('\n');
    for (;;) {
      const response = await fetch(`${this.#url}/api/v1/events`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-ndjson' },
        body,
      });
      await response.arrayBuffer();
      if (response.status === 202) break;
      if (response.status !== 429) throw new Error(`The server answered ${String(response.status)}`);
      this.refused += 1;
      await delay(1_000 * Math.min(MAX_WAIT_S, Number(response.headers.get('retry-after') ?? 1)));
    }
    const now = Date.now();
    for (let i = 0; i < size; i += 1) this.acceptedAt.push(now);
    this.#sent += size;
  }
}

function sessionLines(number: number): string[] {
  const common = {
    sessionId: `loops-${String(number)}`,
    time: Date.now(),
    agent: `agent-${String(number % 20)}`,
    model: 'gpt-5-mini',
  };
  const call = {
    type: 'tool_call_request',
    name: 'read_file',
    args: { path: `file-${String(number % 400)}` },
  };
  const line = (event: object, i: number) => JSON.stringify({ id: `e-${String(i)}`, ...common, ...event });
  const calls = Array.from({ length: CALLS }, (_, i) => line(call, i));
  return number % 4 === 0 ? calls : [...calls, line({ type: 'session_ended' }, CALLS)];
}
