import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { exactJson, messageOf } from '@loopwatch/contract';
import { decompress } from 'fzstd';
import type { Database } from 'libsql';
import { UsageError } from '../errors.ts';
import { beginningOf } from './beginning-of.ts';

type Row = Readonly<Record<string, unknown>>;

/** How an agent stores its sessions in a database: the queries, and the records that its format reads. */
interface Store {
  readonly agent: string;
  /** Columns that only this store has, by table. */
  readonly columns: Readonly<Record<string, readonly string[]>>;
  /** Selects the sessions, each with an `id`. */
  readonly sessions: string;
  /** Selects the rows of the session with the id `?`, in order. */
  readonly rows: string;
  sessionRecord?(session: Row): object;
  records(row: Row, before: Row | undefined, session: Row): object[];
}

const opencodeSession = (session: Row) => ({
  id: session['id'],
  parentID: session['parent_id'],
  projectID: session['project_id'],
  directory: session['directory'],
  time: { created: session['time_created'] },
});

/** A session that two of them have is read from the first: opencode 2 keeps the tables of opencode 1 as they were. */
const stores: readonly Store[] = [
  {
    agent: 'opencode',
    columns: {
      session_v2: ['directory', 'parent_id'],
      session_message: ['session_id', 'type', 'seq', 'data'],
    },
    sessions: 'select * from session_v2 order by time_created, id',
    rows: 'select id, type, data from session_message where session_id = ? order by seq',
    sessionRecord: opencodeSession,
    records: ({ id, type, data }, _, session) => [{ ...objectIn(data), id, type, sessionID: session['id'] }],
  },
  {
    agent: 'opencode',
    columns: { session: ['directory', 'parent_id'], message: ['data'], part: ['message_id', 'data'] },
    sessions: 'select * from session order by time_created, id',
    rows:
      'select m.id as message, m.data as info, p.id, p.data from message m ' +
      'left join part p on p.message_id = m.id where m.session_id = ? order by m.time_created, m.id, p.id',
    sessionRecord: opencodeSession,
    records: ({ message, info, id, data }, before, session) => {
      const own = { sessionID: session['id'] };
      return [
        ...(before?.['message'] === message ? [] : [{ ...objectIn(info), id: message, ...own }]),
        ...(id === null ? [] : [{ ...objectIn(data), id, messageID: message, ...own }]),
      ];
    },
  },
  {
    agent: 'goose',
    columns: { sessions: ['working_dir'], messages: ['session_id', 'role', 'content_json'] },
    sessions: 'select id from sessions order by created_at, id',
    rows: 'select * from messages where session_id = ? order by id',
    records: (row) => [
      {
        session_id: row['session_id'],
        role: row['role'],
        created: row['created_timestamp'],
        content: jsonIn(row['content_json']),
        metadata: jsonIn(row['metadata_json']),
      },
    ],
  },
  {
    agent: 'Hermes',
    columns: {
      sessions: ['source', 'parent_session_id', 'started_at'],
      messages: ['session_id', 'role', 'tool_calls', 'tool_call_id'],
    },
    sessions: 'select id, model from sessions order by started_at, id',
    // As bytes, because its text can begin with NUL, at which SQLite's client ends a text.
    rows: 'select *, cast(content as blob) as bytes from messages where session_id = ? order by id',
    records: ({ bytes, tool_calls, reasoning_content, reasoning, ...row }, _, { model }) => [
      {
        session_id: row['session_id'],
        role: row['role'],
        model,
        timestamp: row['timestamp'],
        tool_call_id: row['tool_call_id'],
        reasoning_content: textIn(reasoning_content ?? reasoning),
        content: hermesContent(textIn(bytes)),
        tool_calls: jsonIn(tool_calls),
      },
    ],
  },
  {
    agent: 'OpenClaw',
    columns: { transcript_events: ['session_id', 'seq', 'event_json'] },
    sessions:
      'select session_id as id, min(created_at) as at from transcript_events group by session_id order by at, id',
    rows: 'select * from transcript_events where session_id = ? order by seq',
    // The header of the session's former file may be missing.
    sessionRecord: ({ id, at }) => ({ type: 'session', id, timestamp: at }),
    records: ({ event_json: json, event_zstd: packed }) => [objectIn(json ?? decompressed(packed))],
  },
  {
    agent: 'Crush',
    columns: { sessions: ['parent_session_id'], messages: ['session_id', 'role', 'parts'] },
    sessions: 'select id, parent_session_id from sessions order by created_at, id',
    rows: 'select * from messages where session_id = ? order by created_at, rowid',
    records: (row, _, session) => [
      { ...row, parent_session_id: session['parent_session_id'], parts: jsonIn(row['parts']) },
    ],
  },
];

const magic = 'SQLite format 3\0';
/** Offset of the file format: 2 for a database with a write-ahead log. */
const VERSION_AT = 18;
const WITH_LOG = 2;

/** Whether a file is a SQLite database. */
export function isDatabase(file: string): boolean {
  return (
    beginningOf(file, VERSION_AT + 1)
      ?.toString('latin1')
      .startsWith(magic) === true
  );
}

/**
 * The records in an agent's SQLite database, one batch per session. The agent may be using the database: it is only read,
 * and no file is created beside it.
 *
 * @throws UsageError when it cannot be read, or is not the database of a known agent
 */
export async function* readDatabase(file: string): AsyncGenerator<object[]> {
  const { default: Sqlite } = await import('libsql');
  let database: Database | undefined;
  try {
    database = new Sqlite(locationOf(file), { readonly: true, timeout: 5000 });
    const found = storesOf(database);
    if (found.length === 0) throw new UsageError(unknownDatabase());
    const known = new Set<unknown>();
    for (const store of found) {
      const rows = database.prepare(store.rows);
      for (const session of database.prepare(store.sessions).all() as Row[]) {
        if (known.has(session['id'])) continue;
        const records = store.sessionRecord === undefined ? [] : [store.sessionRecord(session)];
        let before: Row | undefined;
        for (const row of rows.iterate(session['id']) as IterableIterator<Row>) {
          records.push(...store.records(row, before, session));
          before = row;
        }
        // Without rows, another store can have them: opencode 2 lists sessions that it has not moved.
        if (before === undefined && store !== found.at(-1)) continue;
        known.add(session['id']);
        yield records;
      }
    }
  } catch (error) {
    throw new UsageError(`${file}: ${error instanceof UsageError ? error.message : describe(error)}`);
  } finally {
    database?.close();
  }
}

/** Opening a database with a write-ahead log creates files beside it, unless its agent has them open already. */
function locationOf(file: string): string {
  const hasLog = beginningOf(file, VERSION_AT + 1)?.[VERSION_AT] === WITH_LOG;
  return hasLog && !existsSync(`${file}-wal`) ? `${pathToFileURL(file).href}?immutable=1` : file;
}

function storesOf(database: Database): Store[] {
  return stores.filter(({ columns }) =>
    Object.entries(columns).every(([table, names]) => {
      const rows = database.prepare(`pragma table_info(${table})`).all() as { name: string }[];
      return names.every((name) => rows.some((row) => row.name === name));
    }),
  );
}

function unknownDatabase(): string {
  const agents = [...new Set(stores.map(({ agent }) => agent))].join(', ');
  return `not the SQLite database of a known agent; those of ${agents} can be read`;
}

function describe(error: unknown): string {
  return `the SQLite database cannot be read: ${messageOf(error)}`;
}

/** The value of a column of JSON; its text if it is invalid, so that the record is reported. */
function jsonIn(column: unknown): unknown {
  const text = textIn(column);
  if (typeof text !== 'string') return text;
  try {
    return exactJson(text);
  } catch {
    return text;
  }
}

/** OpenClaw compresses long records. */
function decompressed(column: unknown): unknown {
  if (!(column instanceof ArrayBuffer)) return column;
  return Buffer.from(decompress(new Uint8Array(column))).toString('utf8');
}

function textIn(column: unknown): unknown {
  return column instanceof ArrayBuffer ? Buffer.from(column).toString('utf8') : column;
}

/** Hermes marks content that is a list of parts. */
function hermesContent(text: unknown): unknown {
  const mark = '\0json:';
  return typeof text === 'string' && text.startsWith(mark) ? jsonIn(text.slice(mark.length)) : text;
}

function objectIn(column: unknown): object {
  const value = jsonIn(column);
  return typeof value === 'object' && value !== null ? value : { unreadable: value };
}
