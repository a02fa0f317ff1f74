import {
  type SessionEvents,
  sessionEventsQuerySchema,
  sessionOutlineQuerySchema,
} from '@loopwatch/contract/api';
import { type MaskPatterns, maskJson, type PriceBook } from '@loopwatch/detectors/internal';
import type { RecordReader } from '@loopwatch/log';
import type { Database } from '@loopwatch/storage';
import { Router } from 'express';
import { parseQuery } from '../http/parse-query.ts';
import { badRequest, HttpProblem, methodNotAllowed } from '../http/problem.ts';
import { incidentDetail } from '../incidents/read-incidents.ts';
import { maskStreamed } from './mask-streamed.ts';
import { requireSession } from './read-sessions.ts';
import { sessionEvents } from './session-events.ts';
import { sessionOutline } from './session-outline.ts';
import { textAround } from './text-around.ts';

export interface SessionEventsApiOptions {
  readonly database: Database;
  readonly records: RecordReader;
  /** Patterns of the settings whose matches are masked. */
  readonly masks: () => Promise<MaskPatterns>;
  readonly prices: () => Promise<Pick<PriceBook, 'costOf'>>;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
}

/** `GET /sessions/:id/events` and `GET /sessions/:id/outline`. */
export function sessionEventsApi({ database, records, masks, prices, now }: SessionEventsApiOptions): Router {
  const router = Router();
  router
    .route('/sessions/:id/events')
    .get(async (request, response) => {
      const { id } = request.params;
      const query = parseQuery(request.query, sessionEventsQuerySchema);
      const positions = [query.after, query.before, query.end, query.around, query.at].filter(
        (position) => position !== undefined,
      );
      if (positions.length > 1)
        throw new HttpProblem(400, 'Pass only one of after, before, end, around and at');
      const session = await requireSession(database, id, now());
      const around =
        query.around === undefined ? undefined : await positionOf(database, id, query.around, now());
      try {
        const page = await sessionEvents(records, { session, query, around });
        response.json({ ...page, items: await maskedItems(records, id, page, await masks()) });
      } catch (error) {
        throw logProblem(error);
      }
    })
    .all(methodNotAllowed('GET'));
  router
    .route('/sessions/:id/outline')
    .get(async (request, response) => {
      const query = parseQuery(request.query, sessionOutlineQuerySchema);
      const session = await requireSession(database, request.params.id, now());
      const given = { session, query, prices: await prices(), masks: await masks() };
      try {
        response.json(await sessionOutline(records, given));
      } catch (error) {
        throw logProblem(error);
      }
    })
    .all(methodNotAllowed('GET'));
  return router;
}

/** An invalid record among events. */
const nothing = { type: '' };

async function maskedItems(
  reader: RecordReader,
  sessionId: string,
  { items, source: { topic, partition } }: SessionEvents,
  masks: MaskPatterns,
): Promise<unknown> {
  const events = items.map(({ event }) => event ?? nothing);
  const [first, last] = [items[0], items.at(-1)].map((item) => Number(item?.offset));
  if (first === undefined || last === undefined || events.length === 0) return items;
  const scan = { reader, topicPartition: { topic, partition }, sessionId };
  const { before, after } = await textAround(scan, events, { first, last });
  const shown = maskStreamed<{ type: string }>([...before, ...events, ...after], masks);
  const masked = items.map((item, i) =>
    item.event === null ? item : { ...item, event: shown[before.length + i] },
  );
  return maskJson(masked, masks);
}

function logProblem(error: unknown): HttpProblem {
  if (error instanceof HttpProblem) return error;
  return new HttpProblem(503, 'Could not read the event log; retry shortly', {}, error);
}

async function positionOf(
  database: Database,
  sessionId: string,
  incidentId: string,
  now: number,
): Promise<{ offset: number; index: number }> {
  const incident = await incidentDetail(database, incidentId, now);
  if (incident?.sessionId !== sessionId || incident.source === null) {
    const detail = `${incidentId} is not an incident of this session, or its offset in the log is unknown`;
    throw badRequest({ parameter: 'around', detail });
  }
  const latest = incident.verdicts.at(-1)?.eventIndex ?? incident.lastEventIndex;
  return { offset: Number(incident.source.offset), index: latest };
}
