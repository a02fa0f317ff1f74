import type { AgentEvent } from '@loopwatch/contract';
import type { SessionRecord } from '@loopwatch/contract/api';
import { type MaskPatterns, maskJson, maskSecrets } from '@loopwatch/detectors/internal';
import type { RecordReader } from '@loopwatch/log';
import { Router } from 'express';
import { HttpProblem, methodNotAllowed } from '../http/problem.ts';
import { isPiece, maskStreamed } from './mask-streamed.ts';
import { requireSession } from './read-sessions.ts';
import { ofSession, type SessionRecord as ScannedRecord } from './scan-records.ts';
import type { SessionEventsApiOptions } from './session-events-api.ts';
import { textAround } from './text-around.ts';

/** `GET /sessions/:id/records/:offset`. */
export function sessionRecordApi({ database, records, masks, now }: SessionEventsApiOptions): Router {
  const router = Router();
  router
    .route('/sessions/:id/records/:offset')
    .get(async (request, response) => {
      const { id, offset } = request.params;
      const { topic, partition } = (await requireSession(database, id, now())).source;
      let record: SessionRecord | undefined;
      try {
        record = await recordAt(records, { topic, partition, offset }, id, await masks());
      } catch (error) {
        throw new HttpProblem(503, 'Could not read the event log; retry shortly', {}, error);
      }
      if (record === undefined) {
        const detail = `Record ${topic}/${String(partition)}/${offset} of session ${id} not found in the event log`;
        throw new HttpProblem(404, detail);
      }
      response.json(masked(record, await masks()));
    })
    .all(methodNotAllowed('GET'));
  return router;
}

function masked(record: SessionRecord, patterns: MaskPatterns): SessionRecord {
  const { key, value, headers } = record;
  // The name of a header tells that its value is a secret.
  const header = ([name, text]: [string, string]): [string, string] => [
    name,
    maskSecrets(`${name}: ${text}`, patterns).replace(`${name}: `, ''),
  ];
  return {
    ...record,
    key: key === null ? null : maskSecrets(key, patterns),
    value: value === null ? null : maskedText(value, patterns),
    headers: Object.fromEntries(Object.entries(headers).map(header)),
  };
}

function maskedText(text: string, patterns: MaskPatterns): string {
  try {
    const value: unknown = JSON.parse(text);
    const shown = maskJson(value, patterns);
    return shown === value ? text : JSON.stringify(shown);
  } catch {
    // Not JSON, or nested too deeply.
    return maskSecrets(text, patterns);
  }
}

/** The value without its part of a secret that the texts of several records make together. */
async function ownPart(
  value: string,
  { decoded, offset }: ScannedRecord,
  scan: Parameters<typeof textAround>[0],
  masks: MaskPatterns,
): Promise<string> {
  if (!decoded.ok || !isPiece(decoded.event)) return value;
  const { event } = decoded;
  const { before, after } = await textAround(scan, [event], { first: offset, last: offset });
  const shown = maskStreamed<AgentEvent>([...before, event, ...after], masks)[before.length];
  if (shown === undefined || shown === event) return value;
  return JSON.stringify({ ...(JSON.parse(value) as object), text: (shown as { text?: unknown }).text });
}

type RecordPosition = Pick<SessionRecord, 'topic' | 'partition' | 'offset'>;

/** @returns undefined when there is no record, or one of another session */
async function recordAt(
  reader: RecordReader,
  { topic, partition, offset }: RecordPosition,
  sessionId: string,
  masks: MaskPatterns,
): Promise<SessionRecord | undefined> {
  if (!/^\d{1,15}$/.test(offset)) return undefined;
  const topicPartition = { topic, partition };
  const { start, end } = await reader.bounds(topicPartition);
  const at = Number(offset);
  if (at < start || at >= end) return undefined;
  // The log may have a gap there, and return the record after it.
  const found = (await reader.read(topicPartition, at, 1)).records.find((record) => record.offset === at);
  const own = found === undefined ? undefined : ofSession(found, sessionId);
  if (found === undefined || own === undefined) return undefined;
  const { timestamp, key, value, headers } = found;
  return {
    ...topicPartition,
    offset,
    timestamp,
    key: key?.toString() ?? null,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, bytes]) => [name, Buffer.from(bytes).toString()]),
    ),
    value:
      value === null
        ? null
        : await ownPart(value.toString(), own, { reader, topicPartition, sessionId }, masks),
    bytes: value?.length ?? 0,
  };
}
