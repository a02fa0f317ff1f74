import { exactJson, messageOf } from '@loopwatch/contract';
import type { LogFunction } from '@loopwatch/platform';
import { LRUCache } from 'lru-cache';
import { type DecodedValue, SCHEMA_ID_BYTES, type ValueDecoder } from '../../port/value-decoder.ts';
import type { Decode } from './decode.ts';
import type { ProtoFile } from './protobuf.ts';
import {
  type RegisteredSchema,
  RegistryClient,
  type RetryOptions,
  type SchemaRegistryOptions,
} from './registry-client.ts';

/** How the values of one schema are decoded, or why they cannot be. */
type SchemaDecoder = { readonly decode: Decode } | { readonly fault: string };

/** Schemas of one process; the least recently used is dropped first. */
const MAX_SCHEMAS = 1_000;
/** A registry may learn of a schema after the record that names it has arrived. */
const UNKNOWN_FOR_MS = 30_000;
/** Files that a schema consists of. */
const MAX_FILES = 200;

/**
 * Decodes what serializers for Confluent's schema registry write: Avro, Protobuf and JSON Schema. Each schema is fetched once,
 * by one request at a time.
 *
 * @param log for outages of the registry; default: silent
 */
export function createValueDecoder(
  options: SchemaRegistryOptions,
  log?: LogFunction,
  retry?: RetryOptions,
): ValueDecoder {
  const client = new RegistryClient(options, log, retry);
  const decoders = new LRUCache<number, Promise<SchemaDecoder>>({ max: MAX_SCHEMAS });

  const decoderOf = (id: number): Promise<SchemaDecoder> => {
    const known = decoders.get(id);
    if (known !== undefined) return known;
    const loading = decoderById(client, id);
    decoders.set(id, loading);
    loading.then(
      (decoder) => {
        if ('fault' in decoder) decoders.set(id, loading, { ttl: UNKNOWN_FOR_MS });
      },
      () => decoders.delete(id),
    );
    return loading;
  };
  return {
    decode: async (value): Promise<DecodedValue> => {
      const id = value.readUInt32BE(1);
      const decoder = await decoderOf(id);
      if ('fault' in decoder) return decoder;
      try {
        return { json: jsonOf(decoder.decode(value.subarray(SCHEMA_ID_BYTES))) };
      } catch (error) {
        return { fault: `the value does not fit its schema, id ${String(id)}: ${messageOf(error)}` };
      }
    },
  };
}

async function decoderById(client: RegistryClient, id: number): Promise<SchemaDecoder> {
  const schema = await client.schema(id);
  const named = `the schema with id ${String(id)}`;
  if (schema === undefined) return { fault: `the schema registry does not know ${named}` };
  return loadDecoder(client, schema, named);
}

/** @param named what the schema is called in faults */
export async function loadDecoder(
  client: RegistryClient,
  schema: RegisteredSchema,
  named: string,
): Promise<SchemaDecoder> {
  const { files, missing } = await withReferences(client, schema);
  if (missing !== undefined)
    return { fault: `the schema registry does not know ${missing}, to which ${named} refers` };
  try {
    return { decode: await decoderFor(schema.schemaType, files) };
  } catch (error) {
    return { fault: `${named} cannot be used: ${messageOf(error)}` };
  }
}

/** The libraries are loaded with the first schema that needs them. */
async function decoderFor(type: string, files: readonly ProtoFile[]): Promise<Decode> {
  if (type === 'JSON') return (payload) => exactJson(payload.toString());
  if (type === 'AVRO') {
    const { avroDecoder } = await import('./avro.ts');
    return avroDecoder(files.map(({ text }) => text));
  }
  if (type !== 'PROTOBUF') throw new Error(`its type is ${type}; known: AVRO, JSON, PROTOBUF`);
  const { protobufDecoder } = await import('./protobuf.ts');
  return protobufDecoder(files);
}

/** A schema and all those it refers to, each after those that it refers to itself. */
async function withReferences(
  client: RegistryClient,
  schema: RegisteredSchema,
): Promise<{ readonly files: readonly ProtoFile[]; readonly missing?: string }> {
  // The parts of a JSON Schema are not needed to read JSON.
  const references = schema.schemaType === 'JSON' ? [] : schema.references;
  const files: ProtoFile[] = [];
  const seen = new Set<string>();
  const add = async (wanted: RegisteredSchema['references']): Promise<string | undefined> => {
    for (const { name, subject, version } of wanted) {
      if (seen.has(name) || seen.size >= MAX_FILES) continue;
      seen.add(name);
      const found = await client.version(subject, version);
      if (found === undefined) return `version ${String(version)} of ${subject}`;
      const missing = await add(found.references);
      if (missing !== undefined) return missing;
      files.push({ name, text: found.schema });
    }
    return undefined;
  };
  const missing = await add(references);
  if (missing !== undefined) return { files, missing };
  return { files: [...files, { name: '', text: schema.schema }] };
}

/** @throws Error for a value without a JSON text */
function jsonOf(value: unknown): string {
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) throw new Error('it has no JSON form');
  return text;
}
