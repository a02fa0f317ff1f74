import type { Verdict } from '@loopwatch/contract';
import type { VerdictFilter, VerdictPage } from '@loopwatch/contract/api';
import { jsonText, type Queryable } from '@loopwatch/storage';
import type { Paging, Sorting } from '../http/parse-query.ts';
import { Conditions } from '../storage/conditions.ts';
import { inOrder } from '../storage/in-order.ts';
import { pageOfIds } from '../storage/page-query.ts';

export async function listVerdicts(
  database: Queryable,
  filter: VerdictFilter,
  paging: Paging & { readonly sort: Sorting<'detectedAt'> },
): Promise<VerdictPage> {
  const conditions = new Conditions();
  conditions.anyOf('phase', filter.phase);
  conditions.anyOf('detector', filter.detector);
  conditions.anyOf('incident_id', filter.incidentId);
  conditions.anyOf('session_id', filter.sessionId);
  conditions.anyOf('model', filter.model);
  conditions.anyOf('agent', filter.agent);
  conditions.between('happened_at', filter.from, filter.to);
  const page = await pageOfIds(database, {
    table: 'verdicts',
    conditions,
    columns: { detectedAt: 'happened_at' },
    ...paging,
  });
  const rows = await database.query<{ id: string; doc: string }>(
    'select id, doc from verdict_docs where id in (select jsonb_array_elements_text($1::jsonb))',
    [jsonText(page.items)],
  );
  const verdicts = rows.map(({ id, doc }) => [id, JSON.parse(doc) as Verdict] as const);
  return { ...page, items: inOrder(page.items, verdicts) };
}
