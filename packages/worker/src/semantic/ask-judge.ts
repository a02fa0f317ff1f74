import { type CheckAnswer, type CheckFailure, messageOf } from '@loopwatch/contract';
import { type JudgeMessage, parseJudgeAnswer, type SemanticCheck } from '@loopwatch/detectors';

/** One call to a model. */
export interface JudgeRequest {
  readonly sessionId: string;
  readonly messages: readonly JudgeMessage[];
  /** Whether the stronger model is asked, to confirm a loop. */
  readonly second: boolean;
}

/** Asks a model. Implementations apply their own timeouts and rate limits. */
export interface Judge {
  /** @returns the model's raw answer; rejects with a {@link JudgeError} if there is none */
  ask(request: JudgeRequest): Promise<string>;
}

/** Why a model gave no answer. */
export class JudgeError extends Error {
  readonly failure: CheckFailure;

  constructor(failure: CheckFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'JudgeError';
    this.failure = failure;
  }
}

export interface AskOptions {
  readonly secondOpinion: boolean;
  /** Called for each failed attempt. */
  onFailure(failure: CheckFailure, message: string): void;
  /** Called before the stronger model is asked, whose answer then decides. */
  onConfirm?(): void;
}

/** A failed call is retried once, immediately. */
const ATTEMPTS = 2;

/** Asks a model and, if a loop needs confirmation, a stronger model whose answer then decides. Never rejects. */
export async function askJudge(
  judge: Judge,
  check: SemanticCheck,
  options: AskOptions,
): Promise<CheckAnswer> {
  const { sessionId, messages, threshold } = check;
  const first = await attempt(judge, { sessionId, messages, second: false }, options);
  if (!options.secondOpinion || 'failure' in first || first.confidence <= threshold) return first;
  options.onConfirm?.();
  return attempt(judge, { sessionId, messages, second: true }, options);
}

async function attempt(judge: Judge, request: JudgeRequest, options: AskOptions): Promise<CheckAnswer> {
  let answer: CheckAnswer = { failure: 'error' };
  for (let attempts = 0; attempts < ATTEMPTS; attempts += 1) {
    answer = await askOnce(judge, request, options);
    if (!('failure' in answer) || answer.failure === 'skipped') return answer;
  }
  return answer;
}

async function askOnce(judge: Judge, request: JudgeRequest, options: AskOptions): Promise<CheckAnswer> {
  try {
    const answer = parseJudgeAnswer(await judge.ask(request));
    if ('failure' in answer)
      options.onFailure(answer.failure, 'the answer does not have the requested format');
    return answer;
  } catch (error) {
    const failure = error instanceof JudgeError ? error.failure : 'error';
    options.onFailure(failure, messageOf(error));
    return { failure };
  }
}
