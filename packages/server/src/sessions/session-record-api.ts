import type { SessionRecord } from '@loopwatch/contract/api';
import type { RecordReader } from '@loopwatch/log';
import { Router } from 'express';
import { HttpProblem, methodNotAllowed } from '../http/problem.ts';
import { requireSession } from './read-sessions.ts';
import { ofSession } from './scan-records.ts';
import type { SessionEventsApiOptions } from './session-events-api.ts';

/** `GET /sessions/:id/records/:offset`. */
export function sessionRecordApi({ database, records, now }: SessionEventsApiOptions): Router {
  const router = Router();
  router
    .route('/sessions/:id/records/:offset')
    .get(async (request, response) => {
      const { id, offset } = request.params;
      const { topic, partition } = (await requireSession(database, id, now())).source;
      let record: SessionRecord | undefined;
      try {
        record = await recordAt(records, { topic, partition, offset }, id);
      } catch (error) {
        throw new HttpProblem(503, 'Could not read the event log; retry shortly', {}, error);
      }
      if (record === undefined) {
        const detail = `Record ${topic}/${String(partition)}/${offset} of session ${id} not found in the event log`;
        throw new HttpProblem(404, detail);
      }
      response.json(record);
    })
    .all(methodNotAllowed('GET'));
  return router;
}

type RecordPosition = Pick<SessionRecord, 'topic' | 'partition' | 'offset'>;

/** @returns undefined when there is no record, or one of another session */
async function recordAt(
  reader: RecordReader,
  { topic, partition, offset }: RecordPosition,
  sessionId: string,
): Promise<SessionRecord | undefined> {
  if (!/^\d{1,15}$/.test(offset)) return undefined;
  const topicPartition = { topic, partition };
  const { start, end } = await reader.bounds(topicPartition);
  const at = Number(offset);
  if (at < start || at >= end) return undefined;
  // The log may have a gap there, and return the record after it.
  const found = (await reader.read(topicPartition, at, 1)).records.find((record) => record.offset === at);
  if (found === undefined || ofSession(found, sessionId) === undefined) return undefined;
  const { timestamp, key, value, headers } = found;
  return {
    ...topicPartition,
    offset,
    timestamp,
    key: key?.toString() ?? null,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, bytes]) => [name, Buffer.from(bytes).toString()]),
    ),
    value: value?.toString() ?? null,
    bytes: value?.length ?? 0,
  };
}
