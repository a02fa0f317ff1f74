import type { Format } from '../record/format.ts';
import {
  isObject,
  type JsonObject,
  listOf,
  nameOf,
  objectOf,
  textOf,
  timeOf,
  tokensOf,
  unwrapped,
} from '../record/json.ts';
import { type TracedRun, TracedRunReader } from './traced-runs.ts';

const kinds: ReadonlyMap<string, TracedRun['kind']> = new Map([
  ['TOOL', 'tool'],
  ['CHAT_MODEL', 'model'],
  ['LLM', 'model'],
]);

/**
 * Traces of MLflow, as `Trace.to_json()` and its API write them, and their spans. The session is `mlflow.trace.session`, or else
 * the trace. Each attribute is JSON text. Source: what mlflow-skinny 3.17 wrote; before version 3, ids were in `context`.
 */
export const mlflow: Format = {
  name: 'mlflow',
  title: 'an MLflow trace',
  keys: [
    'info',
    'data',
    'span_id',
    'trace_id',
    'parent_span_id',
    'start_time_unix_nano',
    'attributes',
    'links',
  ],
  recognizes: (record) => isTrace(record) || isMlflowSpan(record),
  unwrap: (record) => {
    if (!isTrace(record)) return undefined;
    const { trace_metadata: metadata, request_metadata: earlier, ...info } = objectOf(record['info']);
    const session = objectOf(metadata ?? earlier)['mlflow.trace.session'];
    return {
      value: objectOf(record['data'])['spans'],
      session: textOf(session) ?? textOf(info['trace_id']) ?? textOf(info['request_id']),
      id: undefined,
    };
  },
  createReader: (session) =>
    new TracedRunReader(
      (record) => runOf(record, session),
      (record) => nameOf(attributeOf(record, 'mlflow.spanType') ?? 'span'),
    ),
};

function isTrace({ info, data }: JsonObject): boolean {
  return isObject(info) && listOf(objectOf(data)['spans']).some((span) => isMlflowSpan(objectOf(span)));
}

/** A span of MLflow, which is also in the shape of an OpenTelemetry one. */
export function isMlflowSpan({ attributes }: JsonObject): boolean {
  return isObject(attributes) && 'mlflow.traceRequestId' in attributes;
}

function attributeOf(record: JsonObject, name: string): unknown {
  return unwrapped(objectOf(record['attributes'])[name]);
}

function runOf(record: JsonObject, session: string | undefined): TracedRun | undefined {
  const sessionId = session ?? textOf(attributeOf(record, 'mlflow.traceRequestId'));
  if (sessionId === undefined) return undefined;
  const { code, message } = objectOf(record['status']);
  const status = nameOf(code ?? record['status_code']);
  const hasFailed = /ERROR$/.test(status);
  const error = textOf(message) ?? textOf(record['status_message']) ?? 'error';
  const tokens = attributeOf(record, 'mlflow.chat.tokenUsage');
  const { input_tokens: input, output_tokens: output } = objectOf(tokens);
  return {
    id: textOf(record['span_id']) ?? textOf(objectOf(record['context'])['span_id']) ?? '',
    sessionId,
    traceId: textOf(attributeOf(record, 'mlflow.traceRequestId')),
    kind: kinds.get(nameOf(attributeOf(record, 'mlflow.spanType'))) ?? 'other',
    time: timeOf(record['start_time_unix_nano'] ?? record['start_time']),
    end: timeOf(record['end_time_unix_nano'] ?? record['end_time']),
    name: textOf(record['name']) ?? '',
    model: textOf(attributeOf(record, 'mlflow.llm.model')),
    input: attributeOf(record, 'mlflow.spanInputs'),
    output: attributeOf(record, 'mlflow.spanOutputs') ?? (hasFailed ? error : undefined),
    isError: hasFailed ? true : undefined,
    usage: isObject(tokens) ? { inputTokens: tokensOf(input), outputTokens: tokensOf(output) } : undefined,
    costUsd: undefined,
  };
}
