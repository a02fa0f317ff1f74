import { atMost } from '@loopwatch/platform';
import type { Database } from '@loopwatch/storage';
import { z } from 'zod';
import { parseObject } from '../api/json.ts';

const channel = 'loopwatch_gateways';
/** How long the owner of a session is asked for it before it counts as unresponsive. */
const REQUEST_TIMEOUT_MS = 500;
/** Interval of attempts, in case a notice is lost. */
const POLL_MS = 50;
/** How long an unresponsive gateway is not asked again. */
const UNRESPONSIVE_MS = 30_000;

const noticeSchema = z.strictObject({
  type: z.enum(['asked', 'given']),
  session: z.string(),
  from: z.string(),
  to: z.string(),
});
type Notice = z.infer<typeof noticeSchema>;

/** Lets gateways request sessions from each other, by notifications of their shared database. */
export class Handover {
  readonly #gatewayId: string;
  readonly #onRequested: (session: string) => Promise<void>;
  readonly #unresponsiveUntil = new Map<string, number>();
  readonly #waiting = new Map<string, () => void>();
  #stopListening: (() => Promise<void>) | undefined;

  /** @param onRequested releases a session, which may have left memory already */
  constructor(gatewayId: string, onRequested: (session: string) => Promise<void>) {
    this.#gatewayId = gatewayId;
    this.#onRequested = onRequested;
  }

  async listen(database: Database): Promise<void> {
    this.#stopListening ??= await database.listen(channel, (payload) => {
      const notice = noticeSchema.safeParse(parseObject(payload));
      if (notice.success) void this.#onNotice(database, notice.data);
    });
  }

  async stop(): Promise<void> {
    await this.#stopListening?.();
  }

  /** Gateways that did not respond recently. */
  get unresponsive(): string[] {
    const now = performance.now();
    for (const [gateway, until] of this.#unresponsiveUntil)
      if (until < now) this.#unresponsiveUntil.delete(gateway);
    return [...this.#unresponsiveUntil.keys()];
  }

  /**
   * Requests a session until `owner` has released it or counts as unresponsive.
   *
   * @param attempt tries to claim the session @returns its owner
   */
  async request(
    database: Database,
    session: string,
    owner: string,
    attempt: () => Promise<string>,
  ): Promise<void> {
    const requestedAt = performance.now();
    await this.#notify(database, { type: 'asked', session, from: this.#gatewayId, to: owner });
    while ((await attempt()) === owner) {
      if (performance.now() - requestedAt > REQUEST_TIMEOUT_MS)
        this.#unresponsiveUntil.set(owner, performance.now() + UNRESPONSIVE_MS);
      else await this.#waitForRelease(session);
    }
  }

  async #waitForRelease(session: string): Promise<void> {
    const released = new Promise<void>((resolve) => this.#waiting.set(session, resolve));
    await atMost(released, POLL_MS);
    this.#waiting.delete(session);
  }

  async #onNotice(database: Database, { type, session, from, to }: Notice): Promise<void> {
    this.#unresponsiveUntil.delete(from);
    if (to !== this.#gatewayId) return;
    if (type === 'given') {
      this.#waiting.get(session)?.();
      return;
    }
    try {
      await this.#onRequested(session);
      await this.#notify(database, { type: 'given', session, from: this.#gatewayId, to: from });
    } catch {
      // The requesting gateway claims the session after its timeout.
    }
  }

  async #notify(database: Database, notice: Notice): Promise<void> {
    await database.query('select pg_notify($1, $2)', [channel, JSON.stringify(notice)]);
  }
}
