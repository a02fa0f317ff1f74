import type { Format } from '../record/format.ts';
import {
  isObject,
  type JsonObject,
  listOf,
  nameOf,
  numberOf,
  objectOf,
  textOf,
  timeOf,
  unwrapped,
} from '../record/json.ts';
import type { Usage } from '../record/message.ts';
import { type TracedRun, TracedRunReader } from './traced-runs.ts';

const kinds: ReadonlyMap<string, TracedRun['kind']> = new Map([
  ['GENERATION', 'model'],
  ['TOOL', 'tool'],
]);
const types = /^(?:SPAN|EVENT|GENERATION|AGENT|TOOL|CHAIN|RETRIEVER|EVALUATOR|EMBEDDING|GUARDRAIL)$/;

/** Observations of Langfuse, from its blob storage export (`trace_id`), its API (`traceId`) or a downloaded trace. */
export const langfuse: Format = {
  name: 'langfuse',
  title: 'a Langfuse observation',
  keys: [
    'trace_id',
    'traceId',
    'start_time',
    'startTime',
    'usage_details',
    'usageDetails',
    'parent_observation_id',
  ],
  recognizes: (record) => isObservation(record) || heldIn(record).length > 0,
  unwrap: (record) => {
    const held = heldIn(record);
    return held.length === 0 ? undefined : { value: held, session: undefined, id: undefined };
  },
  createReader: (session) =>
    new TracedRunReader(
      (record) => runOf(record, session),
      (record) => nameOf(record['type']),
    ),
};

function isObservation(record: JsonObject): boolean {
  return (
    types.test(nameOf(record['type'])) &&
    ('trace_id' in record || 'traceId' in record) &&
    ('start_time' in record || 'startTime' in record)
  );
}

/** The observations of a page of the API, or of a trace, which alone may name the session. */
function heldIn(record: JsonObject): readonly unknown[] {
  const page = listOf(record['data']);
  if (page.some((one) => isObservation(objectOf(one)))) return page;
  const session = textOf(objectOf(record['trace'])['sessionId']) ?? textOf(record['sessionId']);
  const observations = listOf(record['observations']).map((value) => {
    const one = objectOf(value);
    return { ...one, sessionId: one['sessionId'] ?? session };
  });
  return observations.some(isObservation) ? observations : [];
}

function runOf(record: JsonObject, session: string | undefined): TracedRun | undefined {
  const either = (snake: string, camel: string) => record[snake] ?? record[camel];
  const sessionId =
    textOf(either('session_id', 'sessionId')) ?? textOf(either('trace_id', 'traceId')) ?? session;
  if (sessionId === undefined) return undefined;
  const isError = record['level'] === 'ERROR';
  const failure = isError ? either('status_message', 'statusMessage') : undefined;
  return {
    id: textOf(record['id']) ?? '',
    sessionId,
    traceId: textOf(either('trace_id', 'traceId')),
    kind: kinds.get(nameOf(record['type'])) ?? 'other',
    time: timeOf(either('start_time', 'startTime')),
    end: timeOf(either('end_time', 'endTime')),
    name: textOf(record['name']) ?? '',
    model:
      textOf(either('provided_model_name', 'providedModelName')) ??
      textOf(record['model']) ??
      textOf(record['modelId']),
    input: unwrapped(record['input']),
    output: unwrapped(record['output'] ?? failure ?? record['output']),
    isError: isError ? true : undefined,
    usage: usageOf(record),
    costUsd: costOf(record),
  };
}

/** The usage in the details, or else as before Langfuse 3: in `usage`, or beside it. */
function usageOf(record: JsonObject): Usage | undefined {
  const details = unwrapped(record['usage_details'] ?? record['usageDetails']);
  if (isObject(details) && Object.keys(details).length > 0) return langfuseUsage(details);
  const usage = objectOf(unwrapped(record['usage']));
  const firstOf = (...values: readonly unknown[]) => values.map(numberOf).find((one) => one !== undefined);
  const inputTokens = firstOf(
    usage['input'],
    usage['promptTokens'],
    record['promptTokens'],
    record['prompt_tokens'],
  );
  const outputTokens = firstOf(
    usage['output'],
    usage['completionTokens'],
    record['completionTokens'],
    record['completion_tokens'],
  );
  // The API fills in zeros for what is not known.
  if ((inputTokens ?? 0) + (outputTokens ?? 0) === 0) return langfuseUsage(details);
  return { inputTokens: inputTokens ?? 0, outputTokens: outputTokens ?? 0 };
}

/** The usage that Langfuse's details state. */
export function langfuseUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const cachedInputTokens =
    numberOf(value['input_cached_tokens']) ?? numberOf(value['cache_read_input_tokens']) ?? 0;
  const cacheWriteTokens = numberOf(value['cache_creation_input_tokens']) ?? 0;
  // Langfuse's counts do not overlap.
  return {
    inputTokens: (numberOf(value['input']) ?? 0) + cachedInputTokens + cacheWriteTokens,
    outputTokens: (numberOf(value['output']) ?? 0) + (numberOf(value['output_reasoning_tokens']) ?? 0),
    cachedInputTokens,
    cacheWriteTokens,
    reasoningTokens: numberOf(value['output_reasoning_tokens']),
  };
}

function costOf(record: JsonObject): number | undefined {
  const details = objectOf(unwrapped(record['cost_details'] ?? record['costDetails']));
  return numberOf(details['total']) ?? numberOf(record['total_cost'] ?? record['totalCost']);
}
