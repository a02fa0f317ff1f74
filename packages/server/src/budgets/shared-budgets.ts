import { messageOf, type SessionSummary } from '@loopwatch/contract';
import { budgetPercent, budgetUses, USED_UP, WARNED_AT } from '@loopwatch/detectors/internal';
import { type Database, jsonText, type Queryable } from '@loopwatch/storage';
import type { Logger } from 'pino';
import type { GuardSettings } from '../guard/guard-settings.ts';
import { stopSession } from '../guard/stop-session.ts';
import type { ChangeSettingsDeps } from '../settings/change-settings.ts';
import { type BudgetChange, budgetVerdict, ownerOf } from './budget-verdict.ts';
import {
  addUse,
  dayOf,
  readUses,
  removeUsesBefore,
  type SharedScope,
  type SharedUse,
  saveReported,
} from './shared-use.ts';

export interface SharedBudgetsDeps extends Omit<ChangeSettingsDeps, 'topics'> {
  readonly topics: ChangeSettingsDeps['topics'] & { readonly verdicts: string };
  readonly database: Database;
  readonly settings: GuardSettings;
  readonly logger: Logger;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
}

/** Polling detects changes that no session reports: the end of a day, and a raised budget. */
const CHECK_MS = 5_000;
/** Maximum sessions that one check stops. */
const MAX_STOPS = 200;
const KEPT_DAYS_MS = 7 * 86_400_000;

interface SharedLimits {
  readonly per: SharedScope;
  readonly limits: Parameters<typeof budgetUses>[0];
}

/**
 * Daily budgets that are shared by the sessions of an agent, of a tenant, or by all. Usage is added up as session summaries are
 * stored. An exceeded budget stops its sessions (enforced by gateways and hooks) until the day ends or the budget is raised.
 */
export class SharedBudgets {
  readonly #deps: SharedBudgetsDeps;
  #timer: ReturnType<typeof setInterval> | undefined;
  #checking: Promise<void> | undefined;
  #again = false;
  #isStopped = false;
  #cleanedUpOn = '';
  /** As of the last check: a transaction must not wait for another query. */
  #shared: SharedLimits | undefined;

  constructor(deps: SharedBudgetsDeps) {
    this.#deps = deps;
  }

  async start(): Promise<void> {
    this.#shared = await this.#limits();
    this.#timer = setInterval(() => {
      this.wake();
    }, CHECK_MS);
    this.#timer.unref();
  }

  /** Waits for the current check. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await this.#checking;
  }

  /** Adds the usage of these sessions. Call before the transaction stores their summaries. */
  async add(tx: Queryable, summaries: readonly SessionSummary[]): Promise<void> {
    if (this.#shared !== undefined && summaries.length > 0) await addUse(tx, this.#shared.per, summaries);
  }

  /** Call when usage may have grown. */
  wake(): void {
    this.#again = true;
    if (this.#isStopped) return;
    this.#checking ??= this.#run().finally(() => {
      this.#checking = undefined;
    });
  }

  async #run(): Promise<void> {
    try {
      while (this.#again && !this.#isStopped) {
        this.#again = false;
        await this.#check();
      }
    } catch (error) {
      const { logger } = this.#deps;
      logger.warn({ error: messageOf(error), retryMs: CHECK_MS }, 'Checking shared budgets failed; retrying');
    }
  }

  /** Reports budgets that are exceeded or nearly so, and those that no longer are. */
  async #check(): Promise<void> {
    const { database, now } = this.#deps;
    const shared = (this.#shared = await this.#limits());
    const today = dayOf(now());
    for (const use of await readUses(database, shared?.per ?? null, today))
      await this.#checkOne(use, shared, today);
    if (shared === undefined || this.#cleanedUpOn === today) return;
    await removeUsesBefore(database, dayOf(now() - KEPT_DAYS_MS));
    this.#cleanedUpOn = today;
  }

  async #limits(): Promise<SharedLimits | undefined> {
    const { detection } = await this.#deps.settings.get();
    const { enabled = true, per = 'session', ...limits } = detection.settings.budget;
    if (!enabled || !detection.settings.enabled || per === 'session') return undefined;
    return { per, limits };
  }

  async #checkOne(use: SharedUse, shared: SharedLimits | undefined, today: string): Promise<void> {
    const holds = shared?.per === use.per && use.day === today;
    const uses = holds ? budgetUses(shared.limits, use.used) : [];
    const percent = uses[0] === undefined ? 0 : budgetPercent(uses[0]);
    const level = percent >= USED_UP ? 2 : percent >= WARNED_AT ? 1 : 0;
    let reported = use;
    if (level < reported.reportedLevel) {
      const change: BudgetChange =
        use.day === today
          ? { phase: 'resolved', outcome: 'recovered', ending: 'the budget was raised or removed' }
          : { phase: 'resolved', outcome: 'ended', ending: 'the day has ended' };
      reported = await this.#report({ ...reported, reportedLevel: 0 }, change);
    }
    if (level > reported.reportedLevel) {
      const change: BudgetChange =
        reported.reportedLevel === 0
          ? { phase: 'opened', action: level === 2 ? 'block' : 'warn' }
          : { phase: 'escalated', action: 'block' };
      const incidents = reported.incidents + (reported.reportedLevel === 0 ? 1 : 0);
      reported = await this.#report(
        { ...reported, reportedLevel: level, reportedUses: uses, incidents },
        change,
      );
    }
    if (level === 2) await this.#stopSessions(reported);
    else if (reported.stoppedSessions.length > 0) await this.#resumeSessions(reported);
  }

  /** Publishes first: a verdict that is published twice has the same id, one that is saved first could be lost. */
  async #report(use: SharedUse, change: BudgetChange): Promise<SharedUse> {
    const { database, sink, topics, logger, now } = this.#deps;
    const [session] = await database.query<{ doc: SessionSummary }>(
      'select doc from session_docs where id = $1',
      [use.sessionId],
    );
    const verdict = session && budgetVerdict(use, change, session.doc, now());
    if (verdict !== undefined) {
      await sink.publish([{ topic: topics.verdicts, key: use.sessionId, value: JSON.stringify(verdict) }]);
      const { incidentId, phase, reason } = verdict;
      logger[phase === 'resolved' ? 'info' : 'warn']({ incidentId, phase }, reason);
    }
    await saveReported(database, use);
    return use;
  }

  async #stopSessions(use: SharedUse): Promise<void> {
    const { database, settings, logger, now } = this.#deps;
    const column = { agent: 'agent', tenant: 'tenant', day: null }[use.per];
    const rows = await database.query<{ id: string }>(
      `select id from sessions where state = 'live' ${column === null ? '' : `and ${column} = $3`}
         and last_event_at >= $2 and not ($1::jsonb ? id) limit ${String(MAX_STOPS)}`,
      [jsonText(use.stoppedSessions), Date.parse(use.day), ...(column === null ? [] : [use.subject])],
    );
    if (rows.length === 0) return;
    const order = { by: stopperOf(use), at: now() };
    for (const { id } of rows) await stopSession(this.#deps, id, true, order);
    await saveReported(database, {
      ...use,
      stoppedSessions: [...use.stoppedSessions, ...rows.map(({ id }) => id)],
    });
    settings.invalidate();
    logger.info({ sessions: rows.length, budget: ownerOf(use) }, 'Budget exceeded; sessions stopped');
  }

  /** Sessions that were stopped by a person, resumed meanwhile, or deleted by retention are skipped. */
  async #resumeSessions(use: SharedUse): Promise<void> {
    const { database, settings, now } = this.#deps;
    const own = stopperOf(use);
    const rows = await database.query<{ id: string }>('select id from sessions where $1::jsonb ? id', [
      jsonText(use.stoppedSessions),
    ]);
    for (const { id } of rows)
      await stopSession(this.#deps, id, false, { by: own, at: now() }, (by) => by === own);
    await saveReported(database, { ...use, stoppedSessions: [] });
    settings.invalidate();
  }
}

/** The author of a stop, in readable form. */
function stopperOf(use: SharedUse): string {
  return `the budget of ${ownerOf(use)}`;
}
