import { backoff, messageOf } from '@loopwatch/contract';
import { delay, type LogFunction } from '@loopwatch/platform';
import { TokenError } from './token-error.ts';

/** An access token. */
export interface AccessToken {
  readonly value: string;
  /** Milliseconds on the source's clock. */
  readonly expiresAt: number;
}

export interface TokenSource {
  /**
   * A token for a login, from memory or newly issued.
   *
   * @throws TokenError when there is none
   */
  token(): Promise<string>;
  /** Forgets a token that a broker rejected, so that the next login gets a new one. */
  discard(value: string): void;
}

interface TokenSourceOptions {
  /** Default: silent. */
  readonly log?: LogFunction;
  /** Milliseconds; default: a monotonic clock. */
  readonly now?: () => number;
  readonly random?: () => number;
  /** Default: {@link delay}. */
  readonly wait?: (ms: number) => Promise<void>;
}

/**
 * Time that a token must still be valid at a login. kafkajs authenticates a connection again ten seconds before the session
 * ends, and brokers reject a second authentication within one second.
 */
const MIN_VALID_MS = 15_000;
/** A login waits for the retries, and kafkajs waits 16 seconds for a login: no retry begins after this time. */
const RETRY_FOR_MS = 4_000;
/** A token is renewed when this share of its lifetime has passed, minus at most a tenth at random. */
const RENEW_AT = 0.8;
/** The longest delay of a timer. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Keeps a token in memory, renews it before it expires, and sends one request at a time, however many connections log in.
 *
 * @param request issues a token that expires on the clock `now`; rejects with a {@link TokenError}
 */
export function createTokenSource(
  request: (now: () => number) => Promise<AccessToken>,
  {
    log = () => undefined,
    now = () => performance.now(),
    random = Math.random,
    wait = delay,
  }: TokenSourceOptions = {},
): TokenSource {
  let current: AccessToken | undefined;
  let pending: Promise<AccessToken> | undefined;
  let timer: NodeJS.Timeout | undefined;

  const issue = async (): Promise<AccessToken> => {
    const began = now();
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await request(now);
      } catch (error) {
        const isTransient = error instanceof TokenError && error.isTransient;
        if (!isTransient || now() - began >= RETRY_FOR_MS) throw error;
        await wait(backoff(attempt, 250, 2_000, random));
      }
    }
  };
  const renewIn = (ms: number, failures: number) => {
    clearTimeout(timer);
    timer = setTimeout(
      () => {
        renew().catch((error: unknown) => {
          log('warn', `${messageOf(error)}; the current token is used until it expires`, {});
          renewIn(backoff(failures, 1_000, 60_000, random), failures + 1);
        });
      },
      Math.min(ms, MAX_TIMER_MS),
    ).unref();
  };
  const renew = (): Promise<AccessToken> => {
    pending ??= issue()
      .then((token) => {
        current = token;
        renewIn((token.expiresAt - now()) * RENEW_AT * (1 - random() / 10), 0);
        return token;
      })
      .finally(() => {
        pending = undefined;
      });
    return pending;
  };
  return {
    token: async () => {
      const isUsable = current !== undefined && current.expiresAt - now() >= MIN_VALID_MS;
      return (isUsable && current !== undefined ? current : await renew()).value;
    },
    discard: (value) => {
      if (current?.value === value) current = undefined;
    },
  };
}
