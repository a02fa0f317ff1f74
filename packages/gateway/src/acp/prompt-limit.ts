import { type LogLine, turnRequestLines } from '@loopwatch/detectors';

/**
 * A limit of model requests for agents that speak the Agent Client Protocol, where one prompt may lead to any number of
 * requests and only the agent can count them.
 */

/** Values for `maxTurnRequests`: how much an agent may try. */
export const turnRequestLimits = { conservative: 5, default: 10, permissive: 20 } as const;

const STOP_REASON = 'max_turn_requests';
/** Tools that are named when the limit is reached: those called last. */
const SHOWN_CALLS = 8;

/** What an agent answers when the limit is reached; the protocol keeps `_meta` for what it does not define itself. */
export interface TurnLimitResponse {
  readonly stopReason: typeof STOP_REASON;
  readonly _meta: {
    /** Requests that were made: as many as are allowed. */
    readonly turn_requests: number;
    readonly max_allowed: number;
    /** Names of the tools called last, in their order. */
    readonly last_tool_calls: readonly string[];
  };
}

/** What a prompt's handler is given to count with. */
export interface TurnRequests {
  /**
   * To be called before each request to the model.
   *
   * @throws TurnLimitError when the request must not be made; let it pass, and the wrapped handler answers as it should
   */
  next(): void;
  /** Notes a tool call, for those who read why the prompt was stopped. */
  called(tool: string): void;
  /** Requests made so far. */
  readonly count: number;
}

export interface TurnLimitOptions {
  /** Requests to the model in one prompt. Default: 10. */
  readonly maxTurnRequests?: number;
  /** Where lines go. Default: nowhere. */
  readonly log?: (level: LogLine['level'], message: string, fields: LogLine['fields']) => void;
}

/** The request that the limit allows no more. */
export class TurnLimitError extends Error {
  override readonly name = 'TurnLimitError';
  readonly response: TurnLimitResponse;

  constructor(sessionId: string, response: TurnLimitResponse) {
    super(
      `Session ${sessionId} may make ${String(response._meta.max_allowed)} model requests in one prompt, not more`,
    );
    this.response = response;
  }
}

/**
 * Wraps an agent's handler of `session/prompt`: each prompt may make so many requests to the model, and one that would
 * make another is answered with stop reason `max_turn_requests`.
 *
 * @example
 * const prompt = limitTurnRequests(async (request, turns) => {
 *   for (;;) {
 *     turns.next();
 *     const answer = await model.ask(history);
 *     if (answer.calls.length === 0) return { stopReason: 'end_turn' };
 *     for (const call of answer.calls) {
 *       turns.called(call.name);
 *       history.push(await run(call));
 *     }
 *   }
 * }, { maxTurnRequests: 20 });
 *
 * @throws RangeError when `maxTurnRequests` is no positive whole number
 */
export function limitTurnRequests<Request extends { readonly sessionId: string }, Response>(
  handler: (request: Request, turns: TurnRequests) => Promise<Response>,
  { maxTurnRequests = turnRequestLimits.default, log = () => undefined }: TurnLimitOptions = {},
): (request: Request) => Promise<Response | TurnLimitResponse> {
  if (!Number.isInteger(maxTurnRequests) || maxTurnRequests < 1)
    throw new RangeError(`maxTurnRequests is ${String(maxTurnRequests)}; allowed: whole numbers from 1`);
  return async (request) => {
    const turns = new CountedRequests(request.sessionId, maxTurnRequests, log);
    try {
      return await handler(request, turns);
    } catch (error) {
      if (error instanceof TurnLimitError) return error.response;
      throw error;
    }
  };
}

class CountedRequests implements TurnRequests {
  count = 0;
  private readonly sessionId: string;
  private readonly allowed: number;
  private readonly log: NonNullable<TurnLimitOptions['log']>;
  private lastCalls: string[] = [];

  constructor(sessionId: string, allowed: number, log: NonNullable<TurnLimitOptions['log']>) {
    this.sessionId = sessionId;
    this.allowed = allowed;
    this.log = log;
  }

  next(): void {
    const number = this.count + 1;
    const { allowed } = this;
    for (const { level, message, fields } of turnRequestLines(this.sessionId, { number, allowed }))
      this.log(level, message, fields);
    if (number > allowed) {
      const meta = { turn_requests: allowed, max_allowed: allowed, last_tool_calls: this.lastCalls };
      throw new TurnLimitError(this.sessionId, { stopReason: STOP_REASON, _meta: meta });
    }
    this.count = number;
  }

  called(tool: string): void {
    this.lastCalls = [...this.lastCalls.slice(1 - SHOWN_CALLS), tool];
  }
}
