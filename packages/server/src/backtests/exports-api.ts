import { once } from 'node:events';
import { type AgentEvent, eventTime } from '@loopwatch/contract';
import { maskJson } from '@loopwatch/detectors/internal';
import { type Response, Router } from 'express';
import { methodNotAllowed } from '../http/problem.ts';
import { isRun, maskStreamed } from '../sessions/mask-streamed.ts';
import { serializableEvent } from '../sessions/serializable-event.ts';
import type { SessionEventsApiOptions } from '../sessions/session-events-api.ts';
import { recordedSessions } from './recorded-sessions.ts';
import { selectSessions } from './select-sessions.ts';

const MAX_SESSIONS = 5_000;

type Exported = AgentEvent & { readonly sessionId: string };

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
      // By session: a secret may be spread over the events of a text.
      const runs = new Map<string, Exported[]>();
      const writeRun = async (sessionId: string, run: readonly Exported[]) => {
        runs.delete(sessionId);
        for (const event of maskStreamed(run, patterns))
          await write(response, maskJson(event, patterns) as object);
      };
      for await (const one of recordedSessions(records, sessions, disconnected.signal)) {
        if (disconnected.signal.aborted) return;
        if (!('event' in one)) {
          await writeRun(one.ended.sessionId, runs.get(one.ended.sessionId) ?? []);
          continue;
        }
        // An exported event has no record: session and time must be part of it.
        const { sessionId } = one.session;
        const event = {
          ...serializableEvent(one.event),
          sessionId,
          time: eventTime(one.event, one.timestamp),
        };
        const run = runs.get(sessionId) ?? [];
        run.push(event);
        if (isRun(run)) await writeRun(sessionId, run);
        else runs.set(sessionId, run);
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
  if (response.write(`${JSON.stringify(line)}\n`) || response.destroyed) return;
  // Of the two, the one that does not come must not keep its listeners.
  const waiting = new AbortController();
  const { signal } = waiting;
  await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]);
  waiting.abort();
}
