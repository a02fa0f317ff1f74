import { type JsonObject, listOf, nameOf, numberOf, objectOf } from '../record/json.ts';

/** Whether this is a span as Jaeger's API has it. */
export function isOfJaeger(span: JsonObject): boolean {
  return typeof span['traceID'] === 'string' && typeof span['operationName'] === 'string';
}

/** The span in the form of OTLP. */
export function fromJaeger(span: JsonObject, processes: JsonObject): JsonObject {
  const { startTime, duration, references } = span;
  const attributes = tagsOf(span['tags']);
  const process = objectOf(processes[nameOf(span['processID'])]);
  const start = numberOf(startTime);
  return {
    name: span['operationName'],
    traceId: span['traceID'],
    spanId: span['spanID'],
    parentSpanId: objectOf(listOf(references)[0])['spanID'],
    start_time: start,
    end_time: start === undefined ? undefined : start + (numberOf(duration) ?? 0),
    attributes,
    status: { code: attributes['otel.status_code'], message: attributes['otel.status_description'] },
    events: listOf(span['logs']).map((log) => {
      const { event: name, ...fields } = tagsOf(objectOf(log)['fields']);
      return { name, attributes: fields };
    }),
    resource: { 'service.name': process['serviceName'], ...tagsOf(process['tags']) },
  };
}

function tagsOf(tags: unknown): JsonObject {
  return Object.fromEntries(
    listOf(tags).map((tag) => {
      const { key, value } = objectOf(tag);
      return [nameOf(key), value];
    }),
  );
}
