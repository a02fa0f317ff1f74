/**
 * A login fails because of its access token: nothing issues one, or the broker rejects it. kafkajs must not retry it
 * (`retriable`), because the source of tokens has done so. Has no cause: kafkajs would report the cause in its place.
 */
export class TokenError extends Error {
  override readonly name = 'TokenError';
  readonly retriable = false;
  /** What to check, as a sentence; undefined if the same request can succeed later, because the issuer failed. */
  readonly advice: string | undefined;

  /** @param message what failed and where, without its full stop; no secrets */
  constructor(message: string, advice?: string) {
    super(message);
    this.advice = advice;
  }

  get isTransient(): boolean {
    return this.advice === undefined;
  }
}

/** The token error in a chain of causes. */
export function tokenErrorIn(error: unknown): TokenError | undefined {
  for (let next = error, depth = 0; next instanceof Error && depth < 10; next = next.cause, depth += 1) {
    if (next instanceof TokenError) return next;
  }
  return undefined;
}
