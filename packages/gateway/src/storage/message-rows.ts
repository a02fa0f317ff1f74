import { type MaskPatterns, maskSecrets } from '@loopwatch/detectors/internal';
import { jsonText, type Queryable, recordset } from '@loopwatch/storage';
import type { Steps } from '../in-slices.ts';
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

/** A message that waits to be stored. */
export interface WaitingMessage {
  readonly sessionId: string;
  readonly message: Message;
  readonly at: number;
}

/** Units of a message besides its texts. */
const MESSAGE_UNITS = 500;
/** Of masking a UTF-16 unit, in the units of {@link Steps}. */
const UNIT_COST = 6;

export function* messageRows(
  messages: readonly WaitingMessage[],
  privacy: MessagePrivacy,
): Steps<readonly MessageRow[]> {
  const rows: MessageRow[] = [];
  for (const message of messages) {
    rows.push(messageRow(message, privacy));
    yield UNIT_COST * unitsOf(message);
  }
  return rows;
}

/** How long a message is, about, in UTF-16 units. */
export function unitsOf({ message: { text = '', thought = '', calls = [] } }: WaitingMessage): number {
  return calls.reduce((sum, { args }) => sum + args.length, MESSAGE_UNITS + text.length + thought.length);
}

export function messageRow(
  { sessionId, message: { role, ...message }, at }: WaitingMessage,
  { mask, storeText }: MessagePrivacy,
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
