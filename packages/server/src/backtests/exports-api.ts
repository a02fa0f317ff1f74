import { once } from 'node:events';
import { maskJson } from '@loopwatch/detectors/internal';
import { type Response, Router } from 'express';
import { methodNotAllowed } from '../http/problem.ts';
import { serializableEvent } from '../sessions/serializable-event.ts';
import type { SessionEventsApiOptions } from '../sessions/session-events-api.ts';
import { recordedSessions } from './recorded-sessions.ts';
import { selectSessions } from './select-sessions.ts';

const MAX_SESSIONS = 5_000;

/** `/exports/labels.jsonl` and `/exports/events.jsonl`: the input of `npm run eval`. */
export function exportsApi({ database, records, masks }: Omit<SessionEventsApiOptions, 'now'>): Router {
  const router = Router();
  const labelled = () => selectSessions(database, { labelled: true, limit: MAX_SESSIONS });
  router
    .route('/exports/labels.jsonl')
    .get(async (_request, response) => {
      const sessions = await labelled();
      attach(response, 'labels.jsonl');
      for (const { sessionId, label } of sessions) {
        await write(response, { sessionId, verdict: label });
      }
      response.end();
    })
    .all(methodNotAllowed('GET'));
  router
    .route('/exports/events.jsonl')
    .get(async (_request, response) => {
      const sessions = await labelled();
      const patterns = await masks();
      attach(response, 'events.jsonl');
      const disconnected = new AbortController();
      response.once('close', () => {
        disconnected.abort(new Error('client disconnected'));
      });
      for await (const one of recordedSessions(records, sessions, disconnected.signal)) {
        if (disconnected.signal.aborted) return;
        if (!('event' in one)) continue;
        // An exported event has no record: session and time must be part of it.
        const { sessionId } = one.session;
        await write(response, {
          ...(maskJson(serializableEvent(one.event), patterns) as object),
          sessionId,
          time: one.event.time ?? one.timestamp,
        });
      }
      response.end();
    })
    .all(methodNotAllowed('GET'));
  return router;
}

function attach(response: Response, name: string): void {
  response.attachment(name).type('application/x-ndjson');
}

async function write(response: Response, line: object): Promise<void> {
  if (!response.write(`${JSON.stringify(line)}\n`) && !response.destroyed) {
    await Promise.race([once(response, 'drain'), once(response, 'close')]);
  }
}
