import type { Format } from '../record/format.ts';
import {
  isObject,
  type JsonObject,
  listOf,
  nameOf,
  objectOf,
  textOf,
  timeOf,
  unwrapped,
} from '../record/json.ts';
import { responsesUsage } from '../wire/openai-responses.ts';
import { type TracedRun, TracedRunReader } from './traced-runs.ts';

const kinds: ReadonlyMap<string, TracedRun['kind']> = new Map([
  ['function', 'tool'],
  ['generation', 'model'],
  ['response', 'model'],
]);

/**
 * Traces and spans of the OpenAI Agents SDK, as its exporter posts them to `/v1/traces/ingest`. The session is the group of the
 * trace, if it has one. Source: `agents/tracing/{traces,spans,span_data,processors}.py` of openai-agents 0.24.
 */
export const openaiAgents: Format = {
  name: 'openai-agents',
  title: 'a trace of the OpenAI Agents SDK',
  keys: ['object', 'trace_id', 'span_data', 'started_at', 'ended_at', 'workflow_name', 'group_id'],
  recognizes: (record) => isTrace(record) || isExport(record),
  unwrap: (record) =>
    isExport(record) ? { value: record['data'], session: undefined, id: undefined } : undefined,
  createReader: (session) => {
    const groups = new Map<string, string>();
    return new TracedRunReader(
      (record) => runOf(record, session, groups),
      (record) => textOf(objectOf(record['span_data'])['type']) ?? 'trace',
    );
  },
};

function isTrace({ object }: JsonObject): boolean {
  return object === 'trace' || object === 'trace.span';
}

function isExport({ data }: JsonObject): boolean {
  return listOf(data).some((one) => isTrace(objectOf(one)));
}

function runOf(
  record: JsonObject,
  session: string | undefined,
  groups: Map<string, string>,
): TracedRun | undefined {
  const id = textOf(record['id']) ?? '';
  const data = objectOf(record['span_data']);
  if (record['object'] === 'trace') {
    const group = textOf(record['group_id']);
    if (group !== undefined) groups.set(id, group);
  }
  const traceId = textOf(record['trace_id']) ?? (record['object'] === 'trace' ? id : session);
  if (traceId === undefined) return undefined;
  const error = isObject(record['error']) ? (textOf(record['error']['message']) ?? 'error') : undefined;
  const isTool = data['type'] === 'function';
  return {
    id,
    sessionId: groups.get(traceId) ?? traceId,
    traceId,
    kind: kinds.get(nameOf(data['type'])) ?? 'other',
    time: timeOf(record['started_at']),
    end: timeOf(record['ended_at']),
    name: textOf(data['name']) ?? '',
    model: textOf(data['model']),
    input: isTool ? unwrapped(data['input']) : data['input'],
    output: isTool ? (data['output'] ?? detailOf(record['error']) ?? error) : data['output'],
    isError: error === undefined ? undefined : true,
    usage: responsesUsage(data['usage']),
    costUsd: undefined,
  };
}

/** What a tool has raised; the message of the error only says that it failed. */
function detailOf(error: unknown): string | undefined {
  return textOf(objectOf(objectOf(error)['data'])['error']);
}
