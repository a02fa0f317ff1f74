import { type MaskPatterns, maskSecrets } from '@loopwatch/detectors';
import { jsonText, type Queryable, recordset } from '@loopwatch/storage';
import type { Message } from '../session/transcript.ts';

export interface MessageRow {
  readonly session_id: string;
  readonly at: number;
  readonly role: Message['role'];
  readonly doc: object;
}

/** How messages may be stored. */
export interface MessagePrivacy {
  /** Further patterns whose matches are masked. */
  readonly mask: MaskPatterns;
  /** If false, texts and arguments are left out. */
  readonly storeText: boolean;
}

export function messageRow(
  sessionId: string,
  { role, ...message }: Message,
  { mask, storeText }: MessagePrivacy,
  at: number,
): MessageRow {
  const { text, thought, calls, ...rest } = message;
  const masked = (value: string): string => maskSecrets(value, mask);
  const doc = {
    ...rest,
    ...(calls !== undefined && {
      calls: calls.map(({ id, name, args }) => ({
        id,
        name,
        ...(storeText && { arguments: masked(args) }),
      })),
    }),
    ...(storeText && text !== undefined && { text: masked(text) }),
    ...(storeText && thought !== undefined && { thought: masked(thought) }),
  };
  return { session_id: sessionId, at, role, doc };
}

/** Rows are numbered in order. */
export async function storeMessages(database: Queryable, rows: readonly MessageRow[]): Promise<void> {
  if (rows.length === 0) return;
  const columns = { ordinal: 'integer', session_id: 'text', at: 'float8', role: 'text', doc: 'jsonb' };
  await database.query(
    `insert into messages (session_id, at, role, doc)
     select session_id, at, role, doc from ${recordset(columns)} order by ordinal`,
    [jsonText(rows.map((row, ordinal) => ({ ordinal, ...row })))],
  );
}
