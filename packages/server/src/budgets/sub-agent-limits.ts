import { type DetectionSettings, messageOf, type SessionSummary } from '@loopwatch/contract';
import type { BudgetUse } from '@loopwatch/detectors/internal';
import { jsonText } from '@loopwatch/storage';
import { stopSession } from '../guard/stop-session.ts';
import { type LimitReport, limitIncidentId, limitVerdict } from './budget-verdict.ts';
import type { SharedBudgetsDeps } from './shared-budgets.ts';

/** Levels that are counted: more than any limit. */
const MAX_LEVELS = 101;
const STOPPED_BY = 'the limits of sub-agents';

/** A live sub-agent, and its place among those of its parent and below its ancestors. */
interface SubAgent {
  readonly id: string;
  readonly doc: SessionSummary;
  readonly parent: string;
  /** Sub-agents of the same parent up to this one, by their start. */
  readonly sibling: number;
  /** 1: its parent was started by no other session. */
  readonly level: number;
}

/**
 * Limits how many sub-agents a session starts, and how deep they nest. A sub-agent beyond a limit is stopped (enforced by gateways
 * and hooks) once; a person can resume it. Sessions are checked as their summaries are stored, by whichever server stores
 * them.
 */
export class SubAgentLimits {
  readonly #deps: SharedBudgetsDeps;
  /** Sub-agents whose summaries were stored since the last check. */
  #stored = new Set<string>();
  #checking: Promise<void> | undefined;
  #isStopped = false;

  constructor(deps: SharedBudgetsDeps) {
    this.#deps = deps;
  }

  /** Call when these summaries are stored. */
  note(summaries: readonly SessionSummary[]): void {
    for (const { sessionId, parentSessionId, status } of summaries)
      if (parentSessionId !== undefined && parentSessionId !== sessionId && status === 'live')
        this.#stored.add(sessionId);
    if (this.#isStopped || this.#stored.size === 0) return;
    this.#checking ??= this.#run().finally(() => {
      this.#checking = undefined;
    });
  }

  /** Waits for the current check. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#checking;
  }

  /** A failed check is repeated with the sessions' next summaries. */
  async #run(): Promise<void> {
    while (this.#stored.size > 0 && !this.#isStopped) {
      const ids = [...this.#stored];
      this.#stored = new Set();
      try {
        await this.#check(ids);
      } catch (error) {
        this.#deps.logger.warn({ error: messageOf(error) }, 'Checking the limits of sub-agents failed');
      }
    }
  }

  async #check(ids: readonly string[]): Promise<void> {
    const { settings, now } = this.#deps;
    const { detection } = await settings.get();
    const { enabled, agents, session } = detection.settings;
    if (!enabled || (agents.max_children === undefined && agents.max_depth === undefined)) return;
    // History is not stopped.
    const since = now() - session.idle_seconds * 1_000;
    for (const agent of await this.#subAgents(ids, since)) {
      const exceeded = exceededBy(agent, agents);
      if (exceeded !== undefined) await this.#stop(agent, exceeded);
    }
  }

  #subAgents(ids: readonly string[], since: number): Promise<SubAgent[]> {
    return this.#deps.database.query<SubAgent>(
      `select s.id, d.doc, s.parent,
         (select count(*)::int from sessions c
          where c.parent = s.parent and (c.started_at, c.id) <= (s.started_at, s.id)) as sibling,
         (with recursive above as (
            select s.parent as id, 1 as level
            union all
            select p.parent, above.level + 1 from above join sessions p on p.id = above.id
            where p.parent is not null and p.parent <> p.id and above.level < ${String(MAX_LEVELS)})
          select max(level)::int from above) as level
       from sessions s join session_docs d on d.id = s.id
       where s.id in (select jsonb_array_elements_text($1::jsonb)) and s.state = 'live' and s.last_event_at >= $2`,
      [jsonText(ids), since],
    );
  }

  /** Stops first: a sub-agent that was reported is not stopped again, so that a person can resume it. */
  async #stop({ id, doc, parent }: SubAgent, { use, setting, reason }: Exceeded): Promise<void> {
    const { database, sink, topics, logger, now } = this.#deps;
    const incident = ['sub-agents', setting, id];
    const known = await database.query('select 1 from incidents where id = $1', [limitIncidentId(incident)]);
    if (known.length > 0) return;
    await stopSession(this.#deps, id, true, { by: STOPPED_BY, at: now() });
    this.#deps.settings.invalidate();
    const verdict = (report: Pick<LimitReport, 'phase' | 'action' | 'outcome' | 'reason'>) => {
      const evidence: LimitReport['evidence'] = {
        per: 'session',
        subject: parent,
        uses: [use],
        lastAction: report.action,
      };
      return JSON.stringify(
        limitVerdict({ incident, session: doc, now: now(), setting, evidence, ...report }),
      );
    };
    const opened = verdict({ phase: 'opened', action: 'block', outcome: undefined, reason });
    const resolved = verdict({
      phase: 'resolved',
      action: 'none',
      outcome: 'ended',
      reason: `${reason}; this sub-agent was stopped`,
    });
    await sink.publish([opened, resolved].map((value) => ({ topic: topics.verdicts, key: id, value })));
    logger.warn({ sessionId: id, parentSessionId: parent, setting }, `${reason}; stopped this sub-agent`);
  }
}

interface Exceeded {
  readonly use: BudgetUse;
  readonly setting: string;
  readonly reason: string;
}

function exceededBy(
  { parent, sibling, level }: SubAgent,
  { max_children: children, max_depth: levels }: DetectionSettings['agents'],
): Exceeded | undefined {
  if (children !== undefined && sibling > children)
    return {
      use: { resource: 'sub_agents', used: sibling, limit: children },
      setting: 'agents.max_children',
      reason: `Session ${parent} started ${String(sibling)} sub-agents (limit ${String(children)})`,
    };
  if (levels !== undefined && level > levels)
    return {
      use: { resource: 'sub_agent_levels', used: level, limit: levels },
      setting: 'agents.max_depth',
      reason: `Session ${parent} started a sub-agent of level ${String(level)} (limit ${String(levels)})`,
    };
  return undefined;
}
