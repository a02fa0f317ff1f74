import { errors } from 'undici';

/** How an upstream can fail: error codes and metric labels. */
export const upstreamFailures = ['unreachable', 'timeout', 'cut', 'stalled', 'aborted'] as const;
export type UpstreamFailure = (typeof upstreamFailures)[number];

/** The upstream sent no response, or an incomplete one. */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError';
  readonly failure: UpstreamFailure;
  /** HTTP status for the client, if no response has started. */
  readonly status: number;

  constructor(failure: UpstreamFailure, message: string, cause?: unknown) {
    super(message, { cause });
    this.failure = failure;
    this.status = failure === 'timeout' || failure === 'stalled' ? 504 : 502;
  }
}

/** A response that had to be held completely, but is too large. */
export function tooLargeToJudge(origin: string): UpstreamError {
  return new UpstreamError(
    'cut',
    `The response of ${origin} is too large to be judged (gateway.max_held_bytes).`,
  );
}

/** A request that the gateway made by itself was refused, or its response is of another kind. */
export function failedRetry(status: number): UpstreamError {
  return new UpstreamError('cut', `The upstream answered the retry with status ${String(status)}.`);
}

/** Translates an error of undici for the client: names the upstream, and contains nothing of the request. */
export function toUpstreamError(error: Error, origin: string, answered: boolean): UpstreamError {
  if (error instanceof UpstreamError) return error;
  if (error instanceof errors.ConnectTimeoutError)
    return new UpstreamError(
      'timeout',
      `Connecting to the upstream ${origin} timed out (gateway.connect_timeout_seconds).`,
      error,
    );
  if (error instanceof errors.HeadersTimeoutError)
    return new UpstreamError(
      'timeout',
      `The upstream ${origin} did not respond in time (gateway.response_timeout_seconds).`,
      error,
    );
  if (error instanceof errors.BodyTimeoutError)
    return new UpstreamError(
      'stalled',
      `The upstream ${origin} stalled in the middle of its response (gateway.stall_timeout_seconds).`,
      error,
    );
  if (answered)
    return new UpstreamError(
      'cut',
      `The upstream ${origin} closed the connection in the middle of its response.`,
      error,
    );
  const code = (error as NodeJS.ErrnoException).code ?? error.name;
  return new UpstreamError(
    'unreachable',
    `The upstream ${origin} is unreachable (${code}). Check gateway.upstream.`,
    error,
  );
}
