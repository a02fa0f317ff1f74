import { setTimeout as delay } from 'node:timers/promises';
import { ipKeyGenerator } from 'express-rate-limit';
import type { Logger } from 'pino';
import type { Counter } from 'prom-client';
import { HttpProblem } from '../http/problem.ts';
import type { Access } from './access.ts';
import type { User } from './user.ts';

const windowMs = 60_000;
/** Wrong tokens a minute from one address. */
export const wrongTokensPerMinute = 10;
/** Beyond that, a token is looked at so much later, and only one at a time. */
const slowMs = 1_000;
/** Addresses that are remembered, whatever attackers do. */
const MAX_ADDRESSES = 10_000;

interface Failures {
  count: number;
  isBusy: boolean;
}

/**
 * Compares tokens, and bounds guessing on every way in. An address that has sent too many wrong ones gets one answer a
 * second, right or wrong; a token that has been right from there before is not held up by what others there do.
 */
export class TokenVerifier {
  readonly #access: Access;
  readonly #logger: Logger;
  readonly #refused: Counter<'result'>;
  readonly #failures = new Map<string, Failures>();
  /** Address and name of the token, of those that were right. */
  readonly #proven = new Set<string>();
  #window: ReturnType<typeof setTimeout> | undefined;

  constructor(access: Access, logger: Logger, refused: Counter<'result'>) {
    this.#access = access;
    this.#logger = logger;
    this.#refused = refused;
  }

  /**
   * Whose token it is; undefined where it is wrong.
   *
   * @throws HttpProblem 429 when too many were wrong
   */
  async check(token: string, address: string): Promise<User | undefined> {
    const key = ipKeyGenerator(address);
    const user = this.#access.byToken(token);
    const proof = `${key} ${user?.name ?? ''}`;
    if (user !== undefined && this.#proven.has(proof)) return user;
    const failures = this.#failures.get(key);
    const isLimited = (failures?.count ?? 0) >= wrongTokensPerMinute;
    if (failures !== undefined && isLimited) {
      if (failures.isBusy) throw this.#limited();
      failures.isBusy = true;
      await delay(slowMs);
      failures.isBusy = false;
    }
    if (user !== undefined) {
      if (this.#proven.size >= MAX_ADDRESSES) this.#proven.clear();
      this.#proven.add(proof);
      return user;
    }
    this.#count(key);
    if (isLimited) throw this.#limited();
    this.#refused.inc({ result: 'wrong' });
    return undefined;
  }

  stop(): void {
    this.#endWindow();
  }

  #limited(): HttpProblem {
    this.#refused.inc({ result: 'limited' });
    const detail = `More than ${String(wrongTokensPerMinute)} wrong tokens a minute came from this address; wait a minute`;
    return new HttpProblem(429, detail, {}, undefined, { 'retry-after': '60' });
  }

  #count(key: string): void {
    this.#window ??= setTimeout(() => {
      this.#endWindow();
    }, windowMs).unref();
    const known = this.#failures.has(key) || this.#failures.size < MAX_ADDRESSES ? key : 'others';
    const failures = this.#failures.get(known) ?? { count: 0, isBusy: false };
    this.#failures.set(known, failures);
    failures.count += 1;
    if (failures.count === wrongTokensPerMinute) {
      this.#logger.warn({ address: known }, 'too many wrong tokens from an address; it is slowed down');
    }
  }

  /** One line for all of them. */
  #endWindow(): void {
    clearTimeout(this.#window);
    this.#window = undefined;
    const sums = [...this.#failures].map(([address, { count }]) => ({ address, count }));
    this.#failures.clear();
    if (sums.length === 0) return;
    sums.sort((a, b) => b.count - a.count);
    const tokens = sums.reduce((sum, { count }) => sum + count, 0);
    this.#logger.warn(
      { tokens, addresses: sums.length, most: sums.slice(0, 3) },
      `${String(tokens)} wrong tokens within a minute`,
    );
  }
}
