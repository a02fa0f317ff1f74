import type { Format } from '../record/format.ts';
import {
  isObject,
  type JsonObject,
  nameOf,
  numberOf,
  objectOf,
  textOf,
  timeOf,
  unwrapped,
} from '../record/json.ts';
import { type TracedRun, TracedRunReader } from './traced-runs.ts';

const kinds: ReadonlyMap<string, TracedRun['kind']> = new Map([
  ['llm', 'model'],
  ['tool', 'tool'],
]);

/** Runs of LangSmith, from its API or exports. The session is the thread, or else the trace. */
export const langsmith: Format = {
  name: 'langsmith',
  title: 'a LangSmith run',
  keys: [
    'run_type',
    'dotted_order',
    'trace_id',
    'inputs',
    'outputs',
    'parent_run_id',
    'start_time',
    'end_time',
  ],
  recognizes: (record) =>
    typeof record['run_type'] === 'string' && ('inputs' in record || 'dotted_order' in record),
  createReader: (session) =>
    new TracedRunReader(
      (record) => runOf(record, session),
      (record) => nameOf(record['run_type']),
    ),
};

function runOf(record: JsonObject, session: string | undefined): TracedRun | undefined {
  const extra = objectOf(unwrapped(record['extra']));
  const metadata = objectOf(extra['metadata']);
  const thread = metadata['thread_id'] ?? metadata['session_id'] ?? metadata['conversation_id'];
  const sessionId = textOf(thread) ?? textOf(record['trace_id']) ?? session;
  if (sessionId === undefined) return undefined;
  const kind = kinds.get(nameOf(record['run_type'])) ?? 'other';
  const inputs = unwrapped(record['inputs']);
  const outputs = unwrapped(record['outputs']);
  const error = textOf(record['error']);
  const input = numberOf(record['prompt_tokens']);
  const output = numberOf(record['completion_tokens']);
  return {
    id: textOf(record['id']) ?? '',
    sessionId,
    traceId: textOf(record['trace_id']),
    kind,
    time: timeOf(record['start_time']),
    end: timeOf(record['end_time']),
    name: textOf(record['name']) ?? '',
    model: textOf(metadata['ls_model_name']),
    input: kind === 'tool' ? only(inputs, 'input') : inputs,
    output: kind === 'tool' ? (error ?? only(outputs, 'output')) : outputs,
    isError: error === undefined ? undefined : true,
    usage:
      input === undefined && output === undefined ? undefined : { inputTokens: input, outputTokens: output },
    costUsd: numberOf(record['total_cost']),
  };
}

/** Unwraps the input or output of a tool from an object with a single key, and parses it if it is JSON. */
function only(value: unknown, key: string): unknown {
  if (!isObject(value) || !(key in value) || Object.keys(value).length > 1) return value;
  const inner = unwrapped(value[key]);
  return isObject(inner) && 'content' in inner ? inner['content'] : inner;
}
