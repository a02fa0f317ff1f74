import type { SessionSummary } from '@loopwatch/contract';
import { jsonText, type Queryable, type RowOf, recordset } from '@loopwatch/storage';
import { partKey } from './session-parts.ts';

const columns = { session_id: 'text', part: 'text', text: 'text' } as const;

/** The tags that say where an agent works. */
const placeTags = ['project', 'branch'] as const;

const MAX_UNITS = 2_000;

interface DescribedSession {
  readonly id: string;
  readonly summary: SessionSummary | null;
}

/**
 * Stores what sessions are searched by, where it has changed: most summaries say nothing new, and the index is costly to
 * change. The sessions are stored already.
 */
export async function writeTexts(tx: Queryable, records: readonly DescribedSession[]): Promise<void> {
  const rows = new Map<string, RowOf<typeof columns>>();
  for (const { id: session_id, summary } of records) {
    if (summary === null) continue;
    rows.set(session_id, { session_id, part: '', text: searchText(labelsOf(summary)) });
    const { promptText } = summary;
    if (promptText === undefined) continue;
    const part = partKey(summary.source);
    rows.set(`${session_id} ${part}`, { session_id, part, text: searchText(promptText) });
  }
  if (rows.size === 0) return;
  await tx.query(
    `insert into session_texts (session_id, part, text)
     select r.session_id, r.part, r.text from ${recordset(columns)}
       left join session_texts t on t.session_id = r.session_id and t.part = r.part
     where t.text is distinct from r.text
     on conflict (session_id, part) do update set text = excluded.text`,
    [jsonText([...rows.values()])],
  );
}

function labelsOf({ sessionId, agent, model, tenant, tags }: SessionSummary): string {
  const words = [sessionId, ...placeTags.map((name) => tags?.[name]), agent, model, tenant];
  return words.filter((word) => word != null).join('\n');
}

function searchText(text: string): string {
  return text.slice(0, MAX_UNITS).toLowerCase();
}
