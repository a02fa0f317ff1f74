import type { Budget, BudgetQuery } from '@loopwatch/contract/api';
import { type BudgetUse, budgetUses, effectiveSettings } from '@loopwatch/detectors/internal';
import type { Queryable } from '@loopwatch/storage';
import type { CurrentSettings } from '../guard/guard-settings.ts';
import type { StoredSession } from '../sessions/session-parts.ts';
import { isInStateSql } from '../storage/state-sql.ts';
import { dayOf, readUses, totals } from './shared-use.ts';

const MAX_LISTED = 20;
/** Live sessions whose use is computed, those with the latest events. */
const MAX_SESSIONS = 500;

/** What is used of the budgets that apply now. @param now wall clock, epoch ms */
export async function listBudgets(
  database: Queryable,
  settings: CurrentSettings,
  { session }: BudgetQuery,
  now: number,
): Promise<Budget[]> {
  const { per = 'session', enabled, ...limits } = settings.detection.settings.budget;
  const isShared = per !== 'session' && session === undefined;
  const found = isShared
    ? (await readUses(database, per, dayOf(now)))
        .filter((use) => use.per === per && use.day === dayOf(now) && enabled !== false)
        .map(({ subject, used }): Budget => ({ per, subject, uses: [...budgetUses(limits, used)] }))
    : await budgetsOfSessions(database, settings, session, now);
  return found
    .filter(({ uses, unknown = [] }) => uses.length + unknown.length > 0)
    .sort((a, b) => shareOf(b.uses) - shareOf(a.uses))
    .slice(0, MAX_LISTED);
}

async function budgetsOfSessions(
  database: Queryable,
  { detection, overridesOf }: CurrentSettings,
  session: string | undefined,
  now: number,
): Promise<Budget[]> {
  const rows = await database.query<StoredSession & { readonly id: string }>(
    session === undefined
      ? `select id, doc, parts
         from (select id, last_event_at from sessions where ${isInStateSql('live', ['live'], () => '$1')}
           order by last_event_at desc, id desc limit ${String(MAX_SESSIONS)}) as s
         join session_docs using (id) order by last_event_at desc, id desc`
      : 'select id, doc, parts from session_docs where id = $1',
    [session ?? now],
  );
  const { settings } = detection;
  return rows.map(({ id, doc, parts }): Budget => {
    const scope = { backend: doc.backend, model: doc.model, overrides: overridesOf(id).set };
    const {
      enabled,
      per = 'session',
      ...limits
    } = effectiveSettings(settings, settings.overrides.models, scope).budget;
    const isOn = enabled !== false && per === 'session';
    // Detection counts from zero again after a long pause.
    const total = parts?.at(-1) ?? doc;
    const unknown = unknownUses(total);
    const uses = isOn ? budgetUses(limits, totals(total)) : [];
    const { title } = doc;
    return {
      per: 'session',
      subject: id,
      ...(title !== undefined && { sessionTitle: title }),
      uses: uses.filter((use) => !unknown.some(({ resource }) => resource === use.resource)),
      ...(isOn && named(unknown.filter(({ resource }) => limits[resource] !== undefined))),
    };
  });
}

type Unknown = NonNullable<Budget['unknown']>[number];

/** Turns after which an agent that has reported no usage is taken to report none. */
const SILENT_TURNS = 3;

/** What agents without usage, and models without a price, do not tell. */
function unknownUses({
  tokens,
  usd,
  turns,
}: Pick<StoredSession['doc'], 'tokens' | 'usd' | 'turns'>): Unknown[] {
  if (tokens !== null) return usd == null ? [{ resource: 'usd', why: 'no_price' }] : [];
  if (turns < SILENT_TURNS) return [];
  return [
    { resource: 'tokens', why: 'no_usage' },
    { resource: 'usd', why: 'no_usage' },
  ];
}

function named(unknown: Unknown[]): Pick<Budget, 'unknown'> {
  return unknown.length === 0 ? {} : { unknown };
}

function shareOf([first]: readonly BudgetUse[]): number {
  return first === undefined ? 0 : first.used / first.limit;
}
