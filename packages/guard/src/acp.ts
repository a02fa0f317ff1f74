import { type LogLine, turnRequestLines } from '@loopwatch/detectors/internal';

/**
 * A limit of model requests for agents with the Agent Client Protocol. Only the agent can count them: a gateway sees no
 * prompts. Public entry point `@loopwatch/guard/acp`.
 */

/** Suggested values for `maxTurnRequests`. */
export const turnRequestLimits = { conservative: 5, default: 10, permissive: 20 } as const;

const STOP_REASON = 'max_turn_requests';
/** Number of latest tool calls named when the limit is reached. */
const SHOWN_CALLS = 8;

/** The agent's response when the limit is reached; the protocol reserves `_meta` for extensions. */
export interface TurnLimitResponse {
  readonly stopReason: typeof STOP_REASON;
  readonly _meta: {
    /** Requests made: the allowed number. */
    readonly turn_requests: number;
    readonly max_allowed: number;
    /** Names of the latest tool calls, in order. */
    readonly last_tool_calls: readonly string[];
  };
}

/** Counts the model requests of one prompt. */
export interface TurnRequests {
  /**
   * Must be called before each model request.
   *
   * @throws TurnLimitError when the request must not be made; do not catch it, the wrapper turns it into the response
   */
  next(): void;
  /** Notes a tool call, which is named in the response if the limit is reached. */
  called(tool: string): void;
  /** Requests made so far. */
  readonly count: number;
}

export interface TurnLimitOptions {
  /** Model requests per prompt. Default: 10. */
  readonly maxTurnRequests?: number;
  /** Receives log lines. Default: none. */
  readonly log?: (level: LogLine['level'], message: string, fields: LogLine['fields']) => void;
}

/** Thrown for a request beyond the limit. */
export class TurnLimitError extends Error {
  override readonly name = 'TurnLimitError';
  readonly response: TurnLimitResponse;

  constructor(sessionId: string, response: TurnLimitResponse) {
    super(
      `Session ${sessionId} exceeded the limit of ${String(response._meta.max_allowed)} model requests in one prompt`,
    );
    this.response = response;
  }
}

/**
 * Wraps an agent's handler of `session/prompt`: a prompt that exceeds the limit of model requests is answered with stop
 * reason `max_turn_requests`.
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
 * @throws RangeError when `maxTurnRequests` is not a positive integer
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
  readonly #sessionId: string;
  readonly #allowed: number;
  readonly #log: NonNullable<TurnLimitOptions['log']>;
  #lastCalls: string[] = [];

  constructor(sessionId: string, allowed: number, log: NonNullable<TurnLimitOptions['log']>) {
    this.#sessionId = sessionId;
    this.#allowed = allowed;
    this.#log = log;
  }

  next(): void {
    const number = this.count + 1;
    const allowed = this.#allowed;
    for (const { level, message, fields } of turnRequestLines(this.#sessionId, { number, allowed }))
      this.#log(level, message, fields);
    if (number > allowed) {
      const meta = { turn_requests: allowed, max_allowed: allowed, last_tool_calls: this.#lastCalls };
      throw new TurnLimitError(this.#sessionId, { stopReason: STOP_REASON, _meta: meta });
    }
    this.count = number;
  }

  called(tool: string): void {
    this.#lastCalls = [...this.#lastCalls.slice(1 - SHOWN_CALLS), tool];
  }
}
