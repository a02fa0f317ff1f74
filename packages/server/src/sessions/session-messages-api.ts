import type { SessionMessage, SessionMessages } from '@loopwatch/contract/api';
import type { Database } from '@loopwatch/storage';
import { Router } from 'express';
import * as z from 'zod';
import { pagingParameters, parseQuery } from '../http/parse-query.ts';
import { badRequest, methodNotAllowed } from '../http/problem.ts';
import { requireSession } from './read-sessions.ts';
import type { SessionEventsApiOptions } from './session-events-api.ts';

const querySchema = z.strictObject(pagingParameters).partial();

const DEFAULT_LIMIT = 50;

interface MessageRow {
  readonly number: string | number;
  readonly at: number;
  readonly role: SessionMessage['role'];
  readonly doc: Partial<Omit<SessionMessage, 'number' | 'at' | 'role'>>;
}

/** `GET /sessions/:id/messages`: the conversation as stored by the gateway. */
export function sessionMessagesApi({
  database,
  now,
}: Pick<SessionEventsApiOptions, 'database' | 'now'>): Router {
  const router = Router();
  router
    .route('/sessions/:id/messages')
    .get(async (request, response) => {
      const { id } = request.params;
      const { cursor, limit = DEFAULT_LIMIT } = parseQuery(request.query, querySchema);
      await requireSession(database, id, now());
      response.json(await listMessages(database, id, decodeNumber(cursor), limit));
    })
    .all(methodNotAllowed('GET'));
  return router;
}

/** @throws HttpProblem 400 for an invalid cursor */
function decodeNumber(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor);
  const detail = 'pass the `nextCursor` of a previous response for the same session';
  throw badRequest({ parameter: 'cursor', detail });
}

async function listMessages(
  database: Database,
  sessionId: string,
  number: number,
  limit: number,
): Promise<SessionMessages> {
  const rows = await database.query<MessageRow>(
    `select number, at, role, doc from messages where session_id = $1 and number > $2::bigint
     order by number limit ${String(limit + 1)}`,
    [sessionId, number],
  );
  const [count] = await database.query<{ total: number }>(
    'select count(*)::float8 as total from messages where session_id = $1',
    [sessionId],
  );
  const items = rows.slice(0, limit).map(toMessage);
  return {
    items,
    nextCursor: rows.length > limit ? String(items.at(-1)?.number) : null,
    total: count?.total ?? 0,
  };
}

function toMessage({ number, at, role, doc }: MessageRow): SessionMessage {
  const { text = null, thought = null, calls = [], callId = null, finishReason = null, model = null } = doc;
  return {
    number: Number(number),
    at,
    role,
    text,
    thought,
    callId,
    finishReason,
    model,
    calls: calls.map(({ id, name, arguments: args }) => ({ id, name, arguments: args ?? null })),
    isError: doc.isError === true,
    byGateway: doc.byGateway === true,
  };
}
