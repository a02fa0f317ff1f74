import { RegistryClient, type SchemaRegistryOptions } from './registry-client.ts';
import { loadDecoder } from './schema-decoder.ts';

/** What a registry has for the values of a topic. */
export interface SubjectReport {
  /** Under which Confluent's serializers register the schema of a topic's values, unless configured otherwise. */
  readonly subject: string;
  /** Unknown subjects are no fault: a topic may have JSON values, or its schemas another subject. */
  readonly status: 'usable' | 'unknown' | 'unusable';
  /** Why it is unusable, as a sentence without its full stop; otherwise empty. */
  readonly fault: string;
}

/** No registry has given this id to a schema, as they count from 1. */
const UNKNOWN_ID = 2 ** 31 - 1;

/**
 * Asks a registry once for what workers need: schemas by id, and the newest schemas of topics.
 *
 * @throws LogError `registry_unavailable`, also if the registry rejects the login
 */
export async function checkRegistry(
  options: SchemaRegistryOptions,
  topics: readonly string[],
): Promise<readonly SubjectReport[]> {
  const client = new RegistryClient(options, undefined, { forMs: 0 });
  await client.schema(UNKNOWN_ID);
  return Promise.all(
    topics.map(async (topic): Promise<SubjectReport> => {
      const subject = `${topic}-value`;
      const schema = await client.version(subject, 'latest');
      if (schema === undefined) return { subject, status: 'unknown', fault: '' };
      const decoder = await loadDecoder(client, schema, `the schema of ${subject}`);
      return 'fault' in decoder
        ? { subject, status: 'unusable', fault: decoder.fault }
        : { subject, status: 'usable', fault: '' };
    }),
  );
}
