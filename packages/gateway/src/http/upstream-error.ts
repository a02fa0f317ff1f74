import { errors } from 'undici';

/** How an upstream can fail; the closed list behind error codes and metric labels. */
export const upstreamFailures = ['unreachable', 'timeout', 'cut', 'stalled', 'aborted'] as const;
export type UpstreamFailure = (typeof upstreamFailures)[number];

/** The upstream gave no answer, or did not finish it. */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError';
  readonly failure: UpstreamFailure;
  /** HTTP status to answer with, where nothing has been answered yet. */
  readonly status: number;

  constructor(failure: UpstreamFailure, message: string, cause?: unknown) {
    super(message, { cause });
    this.failure = failure;
    this.status = failure === 'timeout' || failure === 'stalled' ? 504 : 502;
  }
}

/** An answer that has to be held as a whole, and may not be. */
export function tooLargeToJudge(origin: string): UpstreamError {
  return new UpstreamError(
    'cut',
    `The answer of ${origin} is too large to be judged (gateway.max_held_bytes).`,
  );
}

/** What undici reported, in words for the client; they name the upstream and hold nothing of the request. */
export function toUpstreamError(error: Error, origin: string, answered: boolean): UpstreamError {
  if (error instanceof UpstreamError) return error;
  if (error instanceof errors.ConnectTimeoutError)
    return new UpstreamError(
      'timeout',
      `The upstream ${origin} took no connection in time (gateway.connect_timeout_seconds).`,
      error,
    );
  if (error instanceof errors.HeadersTimeoutError)
    return new UpstreamError(
      'timeout',
      `The upstream ${origin} did not answer in time (gateway.response_timeout_seconds).`,
      error,
    );
  if (error instanceof errors.BodyTimeoutError)
    return new UpstreamError(
      'stalled',
      `The upstream ${origin} stopped in the middle of its answer (gateway.stall_timeout_seconds).`,
      error,
    );
  if (answered)
    return new UpstreamError('cut', `The upstream ${origin} broke off in the middle of its answer.`, error);
  const code = (error as NodeJS.ErrnoException).code ?? error.name;
  return new UpstreamError(
    'unreachable',
    `The upstream ${origin} cannot be reached (${code}). Is gateway.upstream its address?`,
    error,
  );
}
