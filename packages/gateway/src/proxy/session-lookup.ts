import { randomBytes } from 'node:crypto';
import { type LiveSettings, maskPatterns, maskSecrets, oneLine } from '@loopwatch/detectors/internal';
import type { Logger } from 'pino';
import type { Conversation } from '../api/conversation.ts';
import type { CallMark } from '../session/call-marks.ts';
import type { GatewaySession, OnCall } from '../session/gateway-session.ts';
import type { History } from '../session/history.ts';
import { type Agreement, agreements } from '../session/lineage.ts';
import { type SessionName, taggedName } from '../session/session-name.ts';
import type { SessionSettings } from '../session/session-settings.ts';
import type { SessionStore } from '../session/session-store.ts';
import type { GatewayStorage } from '../storage/gateway-storage.ts';

/** Creates a session with the current settings. @param name may be shared with other conversations */
export type CreateSession = (id: string, name: string, onCall?: OnCall) => GatewaySession;

export interface SessionLookupOptions {
  readonly sessions: SessionStore;
  readonly create: CreateSession;
  /** Server and model settings. */
  readonly settings: LiveSettings;
  /** Settings of single sessions. */
  readonly sessionSettings: SessionSettings;
  /** Undefined if replies are only in memory. */
  readonly storage: GatewayStorage | undefined;
  readonly logger: Logger;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
}

/**
 * A request that gets the same calls each time, sent so often and at this pace, comes from a client that keeps no history. Fewer may be samples
 * of one answer, slower ones a monitor. The same goes for requests of which each shows, under another name, the calls of the one before.
 */
const MIN_SAME_REQUESTS = 8;
const MAX_PACE_MS = 30_000;

/** A session that a client whose first message changes may have left behind. */
interface LeftSession {
  readonly session: GatewaySession;
  /** How many it has left behind so far, each for the next one. */
  readonly links: number;
  /** Whether the request goes on from it. */
  readonly isCertain: boolean;
}

/** Finds the session that a request continues; a request that continues none starts a new one. */
export class SessionLookup {
  readonly #options: SessionLookupOptions;

  constructor(options: SessionLookupOptions) {
    this.#options = options;
  }

  /** Looks up the session of the reply that a request continues from, if another gateway or an earlier run gave it. */
  async load({ previous }: Conversation): Promise<void> {
    const { storage, sessions } = this.#options;
    if (storage === undefined || previous === null || sessions.ofReply(previous) !== undefined) return;
    const stored = await storage.reply(previous);
    if (stored === undefined) return;
    sessions.drop(stored.sessionId);
    sessions.noteReply(previous, stored.sessionId, stored.synthetic);
  }

  /**
   * The session, with its current settings. Callers must report the request to it before they await anything, or the next
   * request finds the same state.
   */
  find({ name, isOne, settingsName, caller }: SessionName, history: History): GatewaySession {
    const { sessions, sessionSettings, settings, now, logger } = this.#options;
    const earlier = history.previous === null || isOne ? undefined : sessions.ofReply(history.previous);
    const shared = earlier === undefined ? name : (sessions.peek(earlier, now())?.name ?? earlier);
    const left = caller === null ? undefined : this.#leftBehind(caller, history);
    const id = this.#idFor(shared, isOne, history, earlier, left);
    const isKnown = sessions.peek(id, now()) !== undefined;
    const onCall =
      caller === null
        ? undefined
        : (call: CallMark) => {
            sessions.calls.note(caller, call, id);
          };
    const session = sessions.get(id, now(), () => this.#options.create(id, shared, onCall));
    if (!isKnown) {
      session.links = left?.links ?? 0;
      const known = sessions.named(session.name, now());
      session.noteReported(Math.max(0, ...known.map((other) => other.lineage.sharedCalls(history))));
      session.isSample = isUnderWay(known, history);
    }
    session.rules.adopt(settings.current, now());
    const own =
      sessionSettings.of(id) ?? (settingsName === null ? undefined : sessionSettings.of(settingsName));
    const refused = own && session.rules.applyOwn(own, now());
    if (refused !== undefined) {
      // The message quotes, and may truncate, what a user wrote.
      const mask = maskPatterns(settings.current.settings.privacy.mask);
      const masked = maskSecrets(refused, mask, () => undefined);
      logger.warn({ sessionId: id }, oneLine(`Rejected settings of session ${id}: ${masked}`));
      sessionSettings.set(id, {});
    }
    if (!isKnown && (id === shared || id === earlier))
      this.#loadPast(
        session,
        isOne || id === earlier ? undefined : (history.last.calls.at(-1)?.call.id ?? ''),
      );
    if (logger.isLevelEnabled('debug')) {
      const shownCalls = history.last.calls.length;
      const message = `Request of ${isKnown ? 'known' : 'new'} session ${id}: its history shows ${String(shownCalls)} calls in this prompt`;
      logger.debug({ sessionId: id, name: shared, isKnown, shown: shownCalls }, oneLine(message));
    }
    return session;
  }

  /**
   * What a budget counts outlasts the memory of a gateway. The session's first request waits for it.
   *
   * @param callId proof that the session is the stored one; undefined if its id is proof
   */
  #loadPast(session: GatewaySession, callId: string | undefined): void {
    const { storage, settings } = this.#options;
    const { plan, tiers } = settings.current.detection;
    const plans = [session.plan, plan, ...[...(tiers?.values() ?? [])].map((tier) => tier.plan)];
    if (storage === undefined || callId === '' || !plans.some(({ on }) => on.has('budget'))) return;
    session.judging = storage
      .usage({ sessionId: session.id, idleMs: session.idleMs, callId })
      .then((past) => {
        session.past = past;
        session.judging = undefined;
      });
  }

  #idFor(
    name: string,
    isOne: boolean,
    history: History,
    earlier: string | undefined,
    left: LeftSession | undefined,
  ): string {
    const { sessions, now } = this.#options;
    const known = sessions.named(name, now());
    // Without a history in the request, the name alone identifies the session.
    if (isOne && history.keepsHistory) return this.#idByReply(known, history) ?? name;
    if (isOne && history.isFresh) return this.#idOfFree(name, known, history);
    // A client that drops the calls sends the same history again.
    const again = isOne
      ? known.find((session) => session.lineage.isRepeated(history) || session.lineage.dropsCalls(history))
      : this.#withoutHistory(known, history);
    if (again !== undefined) return again.id;
    let best: Agreement = agreements.none;
    let found: string | undefined;
    const certain = left?.isCertain === true ? [left.session] : [];
    for (const session of [...known, ...certain]) {
      const agreement = session.lineage.agreement(history);
      if (agreement > best) [best, found] = [agreement, session.id];
      if (agreement === agreements.proven) break;
    }
    found ??= this.#summarized(known, history) ?? certain[0]?.id;
    if (found !== undefined) return found;
    // The session of the earlier reply has left memory, or no session has this name yet.
    const first = earlier ?? name;
    if (sessions.peek(first, now()) === undefined) return first;
    return furtherName(name);
  }

  /**
   * Of a request that shows no history. The reply that is under way in a session belongs to the request before, so requests of
   * agents that work at the same time are conversations of their own.
   */
  #idOfFree(name: string, known: readonly GatewaySession[], history: History): string {
    const free = known.filter(({ lineage }) => !lineage.isAsked);
    const found =
      free.find(({ lineage }) => lineage.hasPrompt(history)) ??
      free.find(({ id }) => id === name) ??
      free.find(({ lineage }) => lineage.isDone);
    if (found !== undefined) return found.id;
    return known.some(({ id }) => id === name) ? furtherName(name) : name;
  }

  /** The session that made the last calls which a request shows, if a client with this key may have left it behind. */
  #leftBehind(caller: string, history: History): LeftSession | undefined {
    const { sessions, now } = this.#options;
    const last = history.prompts.findLast(({ calls }) => calls.length > 0)?.calls.at(-1);
    const made = last && sessions.calls.of(caller, { id: last.call.id, key: last.key });
    const session = made && sessions.peek(made.sessionId, now());
    if (session === undefined || made === undefined) return undefined;
    const { lineage } = session;
    const agrees = lineage.agreement(history) !== agreements.none;
    if (made.isProven) return agrees ? { session, links: 0, isCertain: true } : undefined;
    if (now() - session.usedAt > MAX_PACE_MS || !(agrees || lineage.isContinuedBy(history))) return undefined;
    const links = session.links + 1;
    return { session, links, isCertain: links >= MIN_SAME_REQUESTS };
  }

  /** The latest of the sessions that a client without a history has left behind, one for each request. */
  #withoutHistory(known: readonly GatewaySession[], history: History): GatewaySession | undefined {
    // A client that waits for each reply does not sample them.
    if (known.length < MIN_SAME_REQUESTS || isUnderWay(known, history)) return undefined;
    const left = known
      .flatMap((session) => {
        const calls = session.lineage.unusedCalls(history);
        return calls === undefined ? [] : [{ session, calls }];
      })
      .sort((a, b) => b.session.usedAt - a.session.usedAt);
    const run = left.slice(0, MIN_SAME_REQUESTS);
    const isLoop =
      run.length === MIN_SAME_REQUESTS &&
      run.every(({ session, calls }, i) => {
        const next = run[i - 1]?.session.usedAt ?? this.#options.now();
        return !session.isSample && calls === run[0]?.calls && next - session.usedAt <= MAX_PACE_MS;
      });
    return isLoop ? run[0]?.session : undefined;
  }

  /** The latest session with calls, which goes on from a summary. Other requests of the name have no calls. */
  #summarized(known: readonly GatewaySession[], history: History): string | undefined {
    if (!history.isContinuation) return undefined;
    const [latest] = known.filter(({ hasCalls }) => hasCalls).sort((a, b) => b.usedAt - a.usedAt);
    return latest?.id;
  }

  /** Among sessions that share a name, the one that gave the reply that the request continues from. */
  #idByReply(known: readonly GatewaySession[], history: History): string | undefined {
    if (history.previous === null) return undefined;
    return known.find((session) => session.lineage.agreement(history) === agreements.proven)?.id;
  }
}

/** A name for another conversation beside those that have this one. */
function furtherName(name: string): string {
  return taggedName(name, randomBytes(4).toString('hex'));
}

/** Whether the reply to an equal request is under way. */
function isUnderWay(known: readonly GatewaySession[], history: History): boolean {
  return known.some(({ lineage }) => lineage.isAsked && lineage.isRepeated(history));
}
