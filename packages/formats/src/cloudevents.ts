import { textOfBase64 } from './record/base64.ts';
import { type EnvelopeContent, type Format, ignored, statelessReader } from './record/format.ts';
import { type JsonObject, textOf, unwrapped } from './record/json.ts';

/** A CloudEvent in structured mode: an envelope whose data has another format. */
export const cloudevents: Format = {
  name: 'cloudevents',
  title: 'a CloudEvent',
  keys: ['specversion', 'source', 'type', 'id', 'subject', 'datacontenttype', 'data', 'partitionkey'],
  recognizes: (record) => typeof record['specversion'] === 'string' && 'source' in record && 'type' in record,
  unwrap: contentOf,
  createReader: () => statelessReader(() => ignored('cloudevent without data')),
};

function contentOf(record: JsonObject): EnvelopeContent | undefined {
  const { source, id, data_base64: encoded } = record;
  const data = record['data'] ?? (typeof encoded === 'string' ? textOfBase64(encoded) : undefined);
  if (data === undefined) return undefined;
  return {
    value: unwrapped(data),
    session: textOf(record['subject']) ?? textOf(record['partitionkey']),
    // The combination of both is unique by specification.
    id: textOf(id) && `${String(source)}#${String(id)}`,
  };
}
