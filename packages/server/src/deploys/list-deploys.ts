import type { Deploy, DeployQuery } from '@loopwatch/contract/api';
import type { Queryable } from '@loopwatch/storage';
import { Conditions } from '../storage/conditions.ts';

/**
 * Deploys, newest first. The first version of an agent replaces none, and a version that was posted is listed once: as it was
 * posted.
 */
export function listDeploys(
  database: Queryable,
  { from, to, agent }: DeployQuery,
  limit: number,
): Promise<Deploy[]> {
  const conditions = new Conditions();
  conditions.between('d.at', from, to);
  if (agent !== undefined) conditions.add(`(d.agent is null or d.agent = ${conditions.parameter(agent)})`);
  conditions.add(`(d.source = 'posted' or exists (select 1 from deploys before
      where before.source = 'seen' and before.at < d.at and before.agent is not distinct from d.agent)
    and not exists (select 1 from deploys posted where posted.source = 'posted' and posted.version = d.version
      and (posted.agent is null or posted.agent = d.agent)))`);
  return database.query<Deploy>(
    `select d.id, d.agent, d.version, d.at, d.source, d.note, d.by from deploys d ${conditions.where}
     order by d.at desc, d.id limit ${String(limit)}`,
    conditions.parameters,
  );
}
