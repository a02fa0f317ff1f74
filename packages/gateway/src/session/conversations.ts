import { randomBytes } from 'node:crypto';
import { maskPatterns, maskSecrets, oneLine } from '@loopwatch/detectors';
import type { SettingsVersion, WideSettings } from '@loopwatch/pipeline';
import type { Logger } from 'pino';
import type { Conversation } from '../api/conversation.ts';
import type { GatewayStorage } from '../storage/gateway-storage.ts';
import type { GatewaySession } from './gateway-session.ts';
import type { History } from './history.ts';
import { type Agreement, agreements } from './lineage.ts';
import { type SessionName, taggedName } from './session-name.ts';
import type { SessionSettings } from './session-settings.ts';
import type { SessionStore } from './session-store.ts';

/** Makes a session; it is watched by the current settings unless others are given. */
export type CreateSession = (
  id: string,
  given?: { readonly version?: SettingsVersion | undefined; readonly name?: string | undefined },
) => GatewaySession;

export interface ConversationsOptions {
  readonly sessions: SessionStore;
  readonly create: CreateSession;
  /** What sessions are watched by. */
  readonly settings: WideSettings;
  /** What was set for single sessions. */
  readonly ownSettings: SessionSettings;
  /** Where sessions are kept beyond memory; undefined: nowhere. */
  readonly storage: GatewayStorage | undefined;
  readonly logger: Logger;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
}

/** Finds the session that a request goes on from; a request that goes on from none begins its own. */
export class Conversations {
  private readonly options: ConversationsOptions;

  constructor(options: ConversationsOptions) {
    this.options = options;
  }

  /** Brings into memory what is stored of the sessions that a request may go on from. */
  async load({ name }: SessionName, conversation: Conversation): Promise<void> {
    await this.lookUpAnswer(conversation);
    const { sessions } = this.options;
    const earlier = conversation.previous === null ? undefined : sessions.ofAnswer(conversation.previous);
    await this.restore(earlier ?? name);
  }

  /**
   * The session, with the settings that hold for it now. Nothing may be awaited before it is asked: the next request would
   * find it as it was.
   */
  find({ name, isOne, settingsName }: SessionName, history: History): GatewaySession {
    const { sessions, ownSettings, settings, now, logger } = this.options;
    const earlier = history.previous === null || isOne ? undefined : sessions.ofAnswer(history.previous);
    const shared = earlier === undefined ? name : (sessions.peek(earlier, now())?.name ?? earlier);
    const id = this.idFor(shared, isOne, history, earlier);
    const isKnown = sessions.peek(id, now()) !== undefined;
    const session = sessions.get(id, now(), () => this.options.create(id, { name: shared }));
    session.adopt(settings.current, now());
    const own = ownSettings.of(id) ?? (settingsName === null ? undefined : ownSettings.of(settingsName));
    const refused = own && session.setOwn(own, now());
    if (refused !== undefined) {
      // It quotes, and may cut, what a user wrote.
      const shown = maskSecrets(
        refused,
        maskPatterns(settings.current.settings.privacy.mask),
        () => undefined,
      );
      logger.warn({ sessionId: id }, oneLine(`Settings of session ${id} are refused: ${shown}`));
      ownSettings.note(id, {});
    }
    if (logger.isLevelEnabled('debug')) {
      const shown = history.last.calls.length;
      const what = isKnown ? 'goes on' : 'begins';
      const message = `Request of session ${id}, which ${what}; its history shows ${String(shown)} calls in this prompt`;
      logger.debug({ sessionId: id, name: shared, isKnown, shown }, oneLine(message));
    }
    return session;
  }

  private idFor(name: string, isOne: boolean, history: History, earlier: string | undefined): string {
    const { sessions, now } = this.options;
    const known = sessions.named(name, now());
    // Nothing is to be seen of what was before: the name says whose it is.
    if (isOne && (history.isFresh || history.keepsHistory)) return this.idByAnswer(known, history) ?? name;
    let best: Agreement = agreements.none;
    let found: string | undefined;
    for (const session of known) {
      const agreement = session.agreement(history);
      if (agreement > best) [best, found] = [agreement, session.id];
      if (agreement === agreements.proven) break;
    }
    if (found !== undefined) return found;
    // The session of an earlier answer is not in memory any more, or nothing has this name yet.
    const first = earlier ?? name;
    if (sessions.peek(first, now()) === undefined) return first;
    return taggedName(name, randomBytes(4).toString('hex'));
  }

  /** Of conversations under one name, the one that gave the answer that the request goes on from. */
  private idByAnswer(known: readonly GatewaySession[], history: History): string | undefined {
    if (history.previous === null) return undefined;
    return known.find((session) => session.agreement(history) === agreements.proven)?.id;
  }

  private async restore(id: string): Promise<void> {
    const { sessions, storage, create, now } = this.options;
    if (storage === undefined || sessions.peek(id, now()) !== undefined) return;
    const stored = await storage.load(id);
    if (stored === undefined) return;
    sessions.get(id, now(), () => {
      const made = create(id, { version: stored.version, name: stored.kept.name });
      made.restore(stored.kept);
      return made;
    });
  }

  /** The answer that a request goes on from, where another gateway knows it, or this one before. */
  private async lookUpAnswer({ previous }: Conversation): Promise<void> {
    const { storage, sessions } = this.options;
    if (storage === undefined || previous === null || sessions.ofAnswer(previous) !== undefined) return;
    const stored = await storage.answer(previous);
    if (stored !== undefined) sessions.noteAnswer(previous, stored.sessionId, stored.own);
  }
}
