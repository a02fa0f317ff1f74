import { atMost } from '@loopwatch/platform';
import type { Database } from '@loopwatch/storage';
import { z } from 'zod';
import { parseObject } from '../api/json.ts';

const channel = 'loopwatch_gateways';
/** A gateway that has a session is asked for it this long; then it counts as gone. */
const ASKING_MS = 500;
/** Looked for again, in case that the notice is lost. */
const LOOK_MS = 50;
/** How long a gateway that did not answer is not asked again. */
const SILENT_MS = 30_000;

const noticeSchema = z.strictObject({
  type: z.enum(['asked', 'given']),
  session: z.string(),
  from: z.string(),
  to: z.string(),
});
type Notice = z.infer<typeof noticeSchema>;

/** How gateways ask each other for sessions, by notices of the database they share. */
export class Handover {
  private readonly me: string;
  private readonly onAsked: (session: string) => Promise<void>;
  private readonly silentUntil = new Map<string, number>();
  private readonly waiting = new Map<string, () => void>();
  private stopListening: (() => Promise<void>) | undefined;

  /** @param onAsked gives a session up; it may be one that the gateway no longer has in memory */
  constructor(me: string, onAsked: (session: string) => Promise<void>) {
    this.me = me;
    this.onAsked = onAsked;
  }

  async listen(database: Database): Promise<void> {
    this.stopListening ??= await database.listen(channel, (payload) => {
      const notice = noticeSchema.safeParse(parseObject(payload));
      if (notice.success) void this.take(database, notice.data);
    });
  }

  async stop(): Promise<void> {
    await this.stopListening?.();
  }

  /** Gateways that did not answer of late. */
  get gone(): string[] {
    const now = performance.now();
    for (const [gateway, until] of this.silentUntil) if (until < now) this.silentUntil.delete(gateway);
    return [...this.silentUntil.keys()];
  }

  /**
   * Asks for a session until it is there.
   *
   * @param attempt tries to take it @returns the gateway that has it
   */
  async ask(
    database: Database,
    session: string,
    owner: string,
    attempt: () => Promise<string>,
  ): Promise<void> {
    const askedAt = performance.now();
    await this.tell(database, { type: 'asked', session, from: this.me, to: owner });
    while ((await attempt()) === owner) {
      if (performance.now() - askedAt > ASKING_MS) this.silentUntil.set(owner, performance.now() + SILENT_MS);
      else await this.given(session);
    }
  }

  private async given(session: string): Promise<void> {
    const heard = new Promise<void>((resolve) => this.waiting.set(session, resolve));
    await atMost(heard, LOOK_MS);
    this.waiting.delete(session);
  }

  private async take(database: Database, { type, session, from, to }: Notice): Promise<void> {
    this.silentUntil.delete(from);
    if (to !== this.me) return;
    if (type === 'given') {
      this.waiting.get(session)?.();
      return;
    }
    try {
      await this.onAsked(session);
      await this.tell(database, { type: 'given', session, from: this.me, to: from });
    } catch {
      // Who asked takes it after a moment.
    }
  }

  private async tell(database: Database, notice: Notice): Promise<void> {
    await database.query('select pg_notify($1, $2)', [channel, JSON.stringify(notice)]);
  }
}
