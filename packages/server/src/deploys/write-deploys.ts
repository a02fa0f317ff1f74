import { createHash, randomUUID } from 'node:crypto';
import type { Deploy, DeployPost } from '@loopwatch/contract/api';
import { jsonText, type Queryable, recordset } from '@loopwatch/storage';

const columns = {
  id: 'text',
  agent: 'text',
  version: 'text',
  at: 'float8',
  last_at: 'float8',
  source: 'text',
  note: 'text',
  by: 'text',
} as const;

interface DeployRow extends Deploy {
  readonly last_at: number;
}

interface SessionVersion {
  readonly agent: string | null;
  readonly agent_version: string | null;
  readonly started_at: number;
}

/** Stores the versions of sessions as deploys, each at the earliest start of a session with it. */
export async function storeSeenVersions(tx: Queryable, sessions: readonly SessionVersion[]): Promise<void> {
  const seen = new Map<string, DeployRow>();
  for (const { agent, agent_version: version, started_at: at } of sessions) {
    if (version === null) continue;
    const id = seenId(agent, version);
    const known = seen.get(id);
    seen.set(id, {
      id,
      agent,
      version,
      at: Math.min(at, known?.at ?? at),
      last_at: Math.max(at, known?.last_at ?? at),
      source: 'seen',
      note: null,
      by: null,
    });
  }
  if (seen.size > 0) await insert(tx, [...seen.values()]);
}

/** @param at when it was posted, wall clock, epoch ms */
export async function addDeploy(
  database: Queryable,
  post: DeployPost,
  by: string,
  at: number,
): Promise<Deploy> {
  const deploy: Deploy = {
    id: `d-${randomUUID()}`,
    agent: post.agent ?? null,
    version: post.version,
    at: post.at ?? at,
    source: 'posted',
    note: post.note ?? null,
    by,
  };
  await insert(database, [{ ...deploy, last_at: deploy.at }]);
  return deploy;
}

/** Deletes a posted deploy; one that was seen would come back. @returns whether it existed */
export async function removeDeploy(database: Queryable, id: string): Promise<boolean> {
  const removed = await database.query(
    `delete from deploys where id = $1 and source = 'posted' returning 1`,
    [id],
  );
  return removed.length > 0;
}

/** Deletes deploys whose version no session has reported since a time; one that is still used would come back as new. */
export async function removeDeploys(database: Queryable, before: number): Promise<void> {
  await database.query('delete from deploys where last_at < $1::float8', [before]);
}

const DAY_MS = 86_400_000;

async function insert(tx: Queryable, deploys: readonly DeployRow[]): Promise<void> {
  await tx.query(
    `insert into deploys (${Object.keys(columns).join(', ')}) select * from ${recordset(columns)}
     on conflict (id) do update set at = least(deploys.at, excluded.at), last_at = greatest(deploys.last_at, excluded.last_at)
       where excluded.at < deploys.at or excluded.last_at > deploys.last_at + ${String(DAY_MS)}`,
    [jsonText(deploys)],
  );
}

/** As in the migration that made the table. */
function seenId(agent: string | null, version: string): string {
  return `d-${createHash('md5')
    .update(`${agent ?? ''}\n${version}`)
    .digest('hex')}`;
}
