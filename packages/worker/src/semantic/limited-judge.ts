import { type Judge, JudgeError, type JudgeRequest } from './ask-judge.ts';
import type { CallBudget } from './budget.ts';

export interface ModelAnswer {
  readonly text: string;
  /** Token usage; null if the server does not report it. */
  readonly tokens: { readonly input: number; readonly output: number } | null;
}

/** A model behind an API. */
export interface ModelClient {
  /** Model names, recorded with each answer. */
  readonly model: string;
  readonly secondModel: string | null;
  ask(request: JudgeRequest, signal: AbortSignal): Promise<ModelAnswer>;
}

interface QueuedCall {
  readonly sessionId: string;
  readonly start: () => void;
  readonly skip: (reason: string) => void;
}

/** Calls beyond this queue length are skipped at once. */
const MAX_QUEUED = 1000;

/** Calls a model within limits of rate, concurrency and time. Calls over a limit are queued, up to the timeout. */
export class LimitedJudge implements Judge {
  readonly #client: ModelClient;
  readonly #budget: CallBudget;
  readonly #timeoutMs: number;
  readonly #onTokens: (tokens: NonNullable<ModelAnswer['tokens']>) => void;
  readonly #closing = new AbortController();
  #queue: QueuedCall[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** @param onTokens called with the usage of each answer, malformed ones included */
  constructor(
    client: ModelClient,
    budget: CallBudget,
    timeoutMs: number,
    onTokens: (tokens: NonNullable<ModelAnswer['tokens']>) => void = () => undefined,
  ) {
    this.#client = client;
    this.#budget = budget;
    this.#timeoutMs = timeoutMs;
    this.#onTokens = onTokens;
  }

  async ask(request: JudgeRequest): Promise<string> {
    await this.#enqueue(request.sessionId);
    const timeout = new AbortController();
    const timer = setTimeout(() => {
      timeout.abort();
    }, this.#timeoutMs);
    const signal = AbortSignal.any([timeout.signal, this.#closing.signal]);
    try {
      // A client that ignores the signal must not occupy its slot forever.
      const { text, tokens } = await Promise.race([this.#client.ask(request, signal), aborted(signal)]);
      if (tokens !== null) this.#onTokens(tokens);
      return text;
    } catch (error) {
      if (!timeout.signal.aborted) throw error;
      throw new JudgeError('timeout', `no answer within ${String(this.#timeoutMs / 1000)} s`, {
        cause: error,
      });
    } finally {
      clearTimeout(timer);
      this.#budget.done();
      this.#next();
    }
  }

  /** Aborts running calls and skips queued ones. */
  close(): void {
    this.#closing.abort();
    for (const { skip } of this.#queue.splice(0)) skip('the process is stopping');
    clearTimeout(this.#timer);
  }

  #enqueue(sessionId: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const skip = (reason: string): void => {
        clearTimeout(timer);
        this.#queue = this.#queue.filter((other) => other !== queued);
        reject(new JudgeError('skipped', reason));
      };
      const timer = setTimeout(() => {
        skip('timed out in the queue');
      }, this.#timeoutMs);
      const start = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const queued = { sessionId, start, skip };
      if (this.#closing.signal.aborted) skip('the process is stopping');
      else if (this.#queue.length >= MAX_QUEUED) skip('too many checks are queued');
      else this.#queue.push(queued);
      this.#next();
    });
  }

  /** Starts queued calls in order, as far as the budget allows. */
  #next(): void {
    for (let first = this.#queue[0]; first !== undefined; first = this.#queue[0]) {
      const admission = this.#budget.admit(first.sessionId);
      if (admission === 'wait') break;
      this.#queue.shift();
      if (admission === 'run') first.start();
      else first.skip('the limit of calls per session is reached');
    }
    clearTimeout(this.#timer);
    const { waitMs } = this.#budget;
    if (this.#queue.length === 0 || waitMs === 0) return;
    this.#timer = setTimeout(() => {
      this.#next();
    }, waitMs);
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = (): void => {
      reject(new Error('aborted'));
    };
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });
}
