import { type Judge, JudgeError, type JudgeRequest } from '@loopwatch/pipeline';
import type { CallBudget } from './budget.ts';

export interface ModelAnswer {
  readonly text: string;
  /** What it took; null where the server does not say. */
  readonly tokens: { readonly input: number; readonly output: number } | null;
}

/** A model behind an API. */
export interface ModelClient {
  /** Names of the models, for the record of an answer. */
  readonly model: string;
  readonly secondModel: string | null;
  ask(request: JudgeRequest, signal: AbortSignal): Promise<ModelAnswer>;
}

interface Waiting {
  readonly sessionId: string;
  readonly start: () => void;
  readonly giveUp: (why: string) => void;
}

/** More calls than these do not wait: they are skipped at once. */
const MAX_WAITING = 1000;

/** Calls a model within limits of number and time. A call for which there is no room waits its turn, up to the time limit. */
export class LimitedJudge implements Judge {
  private readonly client: ModelClient;
  private readonly budget: CallBudget;
  private readonly timeoutMs: number;
  private readonly used: (tokens: NonNullable<ModelAnswer['tokens']>) => void;
  private readonly closing = new AbortController();
  private waiting: Waiting[] = [];
  private timer: NodeJS.Timeout | undefined;

  /** @param used told of the tokens of each answer, also of one that cannot be read */
  constructor(
    client: ModelClient,
    budget: CallBudget,
    timeoutMs: number,
    used: (tokens: NonNullable<ModelAnswer['tokens']>) => void = () => undefined,
  ) {
    this.client = client;
    this.budget = budget;
    this.timeoutMs = timeoutMs;
    this.used = used;
  }

  async ask(request: JudgeRequest): Promise<string> {
    await this.turn(request.sessionId);
    const timeout = new AbortController();
    const timer = setTimeout(() => {
      timeout.abort();
    }, this.timeoutMs);
    const signal = AbortSignal.any([timeout.signal, this.closing.signal]);
    try {
      // A client that does not heed the signal must not hold its place for ever.
      const { text, tokens } = await Promise.race([this.client.ask(request, signal), aborted(signal)]);
      if (tokens !== null) this.used(tokens);
      return text;
    } catch (error) {
      if (!timeout.signal.aborted) throw error;
      throw new JudgeError('timeout', `no answer within ${String(this.timeoutMs / 1000)} s`, {
        cause: error,
      });
    } finally {
      clearTimeout(timer);
      this.budget.done();
      this.next();
    }
  }

  /** Gives up all calls, those under way too. */
  close(): void {
    this.closing.abort();
    for (const { giveUp } of this.waiting.splice(0)) giveUp('the process stops');
    clearTimeout(this.timer);
  }

  private turn(sessionId: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = (why: string): void => {
        clearTimeout(timer);
        this.waiting = this.waiting.filter((other) => other !== waiting);
        reject(new JudgeError('skipped', why));
      };
      const timer = setTimeout(() => {
        giveUp('its turn did not come in time');
      }, this.timeoutMs);
      const start = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const waiting = { sessionId, start, giveUp };
      if (this.closing.signal.aborted) giveUp('the process stops');
      else if (this.waiting.length >= MAX_WAITING) giveUp('too many checks wait');
      else this.waiting.push(waiting);
      this.next();
    });
  }

  /** Starts what may start, in the order of asking. */
  private next(): void {
    for (let first = this.waiting[0]; first !== undefined; first = this.waiting[0]) {
      const admission = this.budget.admit(first.sessionId);
      if (admission === 'wait') break;
      this.waiting.shift();
      if (admission === 'run') first.start();
      else first.giveUp('the session has had its share of calls');
    }
    clearTimeout(this.timer);
    const { waitMs } = this.budget;
    if (this.waiting.length === 0 || waitMs === 0) return;
    this.timer = setTimeout(() => {
      this.next();
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
