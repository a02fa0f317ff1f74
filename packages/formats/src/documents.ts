import { textOfBase64 } from './record/base64.ts';
import { isObject, type JsonObject, nameOf, objectOf, timeOf } from './record/json.ts';
import { litellm } from './telemetry/litellm.ts';
import { messageListIn } from './wire/exchanges.ts';
import { isLangChainMessage } from './wire/messages.ts';

/** The records that a tool's document holds. */
export interface Document {
  readonly records: readonly JsonObject[];
  /** Types of its parts that are no records. */
  readonly ignored: readonly string[];
}

/** The records in an export of another tool that is a document of its own; undefined for any other record. */
export function documentIn(record: JsonObject): Document | undefined {
  const { log, samples, traj, child_runs: children, hrTime, session, items } = record;
  const { entries } = objectOf(log);
  if (Array.isArray(entries)) return harDocument(entries.map(objectOf));
  const records =
    ('eval' in record &&
      Array.isArray(samples) &&
      samples.map((sample) => inspectSample(record, objectOf(sample)))) ||
    (Array.isArray(traj) && 'reward' in record && [tauTrajectory(record)]) ||
    (Array.isArray(children) &&
      'run_type' in record && [{ ...record, child_runs: null }, ...children.map(objectOf)]);
  if (isObject(session) && 'instructions' in session && Array.isArray(items))
    return { records: [session, ...items.map(objectOf)], ignored: [] };
  if (Array.isArray(hrTime)) return { records: [fromSdk(record, hrTime)], ignored: [] };
  if ('context.span_id' in record) return { records: [{ data: [fromFrame(record)] }], ignored: [] };
  return records === false ? undefined : { records, ignored: [] };
}

/** HAR, which browsers and proxies export: the requests to models among all others. */
function harDocument(entries: readonly JsonObject[]): Document {
  const exchanges = entries.map((entry) => {
    const { text, encoding } = objectOf(objectOf(entry['response'])['content']);
    const { text: request } = objectOf(objectOf(entry['request'])['postData']);
    const response = encoding === 'base64' ? textOfBase64(nameOf(text)) : text;
    return { request, response, timestamp: entry['startedDateTime'] };
  });
  const records = exchanges.filter((exchange) => messageListIn(exchange) !== undefined);
  return { records, ignored: Array<string>(entries.length - records.length).fill('HAR entry') };
}

/** A sample in a log of Inspect AI, which can run several times, as in other logs. */
function inspectSample(log: JsonObject, { id, epoch, started_at, messages }: JsonObject): JsonObject {
  const { eval_id: evaluation, model, created } = objectOf(log['eval']);
  const session = [evaluation, id, epoch].flatMap((part) => part ?? []).map(nameOf);
  return { session_id: session.join('/'), model, created_at: started_at ?? created, messages };
}

/** A trajectory of tau-bench. */
function tauTrajectory({ task_id: id, trial, traj }: JsonObject): JsonObject {
  return { session_id: `${nameOf(id)}/${nameOf(trial)}`, messages: traj };
}

/** A log record as OpenTelemetry's SDK for JavaScript holds it, which Gemini CLI writes to its outfile. */
function fromSdk(record: JsonObject, [seconds, nanos]: readonly unknown[]): JsonObject {
  const { hrTime: _, ...rest } = record;
  return { ...rest, timeUnixNano: `${nameOf(seconds)}${nameOf(nanos).padStart(9, '0')}` };
}

/** A span from a row of Phoenix's `get_spans_dataframe()`, which has the names of nested fields with dots. */
function fromFrame(row: JsonObject): JsonObject {
  const prefix = 'attributes.';
  const attributes = Object.entries(row).flatMap(([name, value]) =>
    name.startsWith(prefix) && value !== null ? [[name.slice(prefix.length), value] as const] : [],
  );
  const context = { trace_id: row['context.trace_id'], span_id: row['context.span_id'] };
  return { ...row, context, attributes: Object.fromEntries(attributes) };
}

/** LiteLLM posts its records in batches, in any order; a request has the whole history before it. */
export function inOrder(value: readonly unknown[]): readonly unknown[] {
  if (!value.every((record) => isObject(record) && litellm.recognizes(record))) return value;
  const endOf = (record: unknown) => timeOf(objectOf(record)['endTime']) ?? 0;
  return value.toSorted((one, other) => endOf(one) - endOf(other));
}

/** Wraps an array of messages, which is one conversation. */
export function conversationIn(value: readonly unknown[]): JsonObject | undefined {
  const [first] = value;
  const isMessage = isObject(first) && 'role' in first && !('uuid' in first) && !('messages' in first);
  return isMessage || isLangChainMessage(first) ? { messages: value } : undefined;
}
