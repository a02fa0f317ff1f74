import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ipKeyGenerator } from 'express-rate-limit';
import type { Logger } from 'pino';
import type { Counter } from 'prom-client';
import { HttpProblem } from '../http/problem.ts';
import type { Access } from './access.ts';
import type { User } from './user.ts';

const WINDOW_MS = 60_000;
/** Wrong tokens per minute and address; beyond this, verification is slowed down. */
export const WRONG_TOKENS_PER_MINUTE = 10;
/** Delay of a slowed down verification; an address gets one at a time. */
const SLOW_MS = 1_000;
/** Bounds memory under attack. */
const MAX_ADDRESSES = 10_000;

interface Failures {
  /** Hashes of different wrong tokens, up to the limit: a client that repeats one is misconfigured and guesses nothing. */
  readonly tokens: Set<string>;
  /** Requests that were refused. */
  count: number;
  isBusy: boolean;
}

/**
 * Verifies tokens, and limits guessing over all endpoints. An address that has sent too many different wrong tokens gets one
 * answer a second, right tokens included: an exception for them would tell which guess is right.
 */
export class TokenVerifier {
  readonly #access: Access;
  readonly #logger: Logger;
  readonly #refused: Counter<'result'>;
  readonly #failures = new Map<string, Failures>();
  #window: ReturnType<typeof setTimeout> | undefined;

  constructor(access: Access, logger: Logger, refused: Counter<'result'>) {
    this.#access = access;
    this.#logger = logger;
    this.#refused = refused;
  }

  /**
   * The user of a token; undefined when it is wrong.
   *
   * @throws HttpProblem 429 after too many wrong ones
   */
  async verify(token: string, address: string): Promise<User | undefined> {
    const key = ipKeyGenerator(address);
    const failures = this.#failures.get(key);
    const isLimited = (failures?.tokens.size ?? 0) >= WRONG_TOKENS_PER_MINUTE;
    if (failures !== undefined && isLimited) {
      if (failures.isBusy) {
        failures.count += 1;
        throw this.#limited();
      }
      failures.isBusy = true;
      await delay(SLOW_MS);
      failures.isBusy = false;
    }
    const user = this.#access.userOfToken(token);
    if (user !== undefined) return user;
    this.#count(key, token);
    if (isLimited) throw this.#limited();
    this.#refused.inc({ result: 'wrong' });
    return undefined;
  }

  stop(): void {
    this.#endWindow();
  }

  #limited(): HttpProblem {
    this.#refused.inc({ result: 'limited' });
    const detail = `Too many wrong tokens from this address (limit ${String(WRONG_TOKENS_PER_MINUTE)} per minute); wait a minute`;
    return new HttpProblem(429, detail, {}, undefined, { 'retry-after': '60' });
  }

  #count(key: string, token: string): void {
    this.#window ??= setTimeout(() => {
      this.#endWindow();
    }, WINDOW_MS).unref();
    const known = this.#failures.has(key) || this.#failures.size < MAX_ADDRESSES ? key : 'others';
    const failures = this.#failures.get(known) ?? { tokens: new Set(), count: 0, isBusy: false };
    this.#failures.set(known, failures);
    failures.count += 1;
    if (failures.tokens.size >= WRONG_TOKENS_PER_MINUTE) return;
    failures.tokens.add(createHash('sha256').update(token).digest('base64'));
    if (failures.tokens.size === WRONG_TOKENS_PER_MINUTE) {
      this.#logger.warn(
        { address: known, limit: WRONG_TOKENS_PER_MINUTE },
        'Too many wrong tokens; slowing down',
      );
    }
  }

  /** Logs one line for all addresses. */
  #endWindow(): void {
    clearTimeout(this.#window);
    this.#window = undefined;
    const sums = [...this.#failures].map(([address, { count }]) => ({ address, count }));
    this.#failures.clear();
    if (sums.length === 0) return;
    sums.sort((a, b) => b.count - a.count);
    const tokens = sums.reduce((sum, { count }) => sum + count, 0);
    this.#logger.warn(
      { tokens, addresses: sums.length, top: sums.slice(0, 3) },
      'Wrong tokens within the last minute',
    );
  }
}
