import { detectionSchema, entrySchema, findSetting, unwrapSchema } from '@loopwatch/contract';
import { z } from 'zod';

/*
 * The parts of a setting with a map, from the same schema that the server checks it with. Not by way of its JSON Schema, which
 * every page would have to load.
 */

/** A field of an entry. */
export type Field = { readonly key: string; readonly isRequired: boolean } & FieldKind;

export type FieldKind =
  | { readonly kind: 'boolean' | 'lines' }
  | { readonly kind: 'choice'; readonly choices: readonly string[] }
  | { readonly kind: 'number'; readonly isNullable: boolean }
  | { readonly kind: 'text' }
  | { readonly kind: 'block'; readonly fields: readonly Field[] }
  /** Entries by name, all with these fields. */
  | { readonly kind: 'map'; readonly fields: readonly Field[] };

/** The schema of a setting. */
export function schemaOf(path: string): z.ZodType | undefined {
  return findSetting(detectionSchema, path)?.schema;
}

/** The fields of each entry of a map; undefined if the setting is none. */
export function fieldsOfEntries(path: string): readonly Field[] | undefined {
  const schema = schemaOf(path);
  const kind = schema && kindOf(schema);
  return kind?.kind === 'map' ? kind.fields : undefined;
}

/** Values first, then what contains further fields. */
function fieldsOf(schema: z.ZodObject): Field[] {
  return Object.entries(schema.shape as Record<string, z.ZodType>)
    .map(([key, value]) => ({
      key,
      isRequired: !value.safeParse(undefined).success,
      ...kindOf(value),
    }))
    .toSorted((a, b) => Number('fields' in a) - Number('fields' in b));
}

function kindOf(schema: z.ZodType): FieldKind {
  const inner = unwrapSchema(schema);
  const entry = entrySchema(inner);
  const each = entry === undefined ? undefined : unwrapSchema(entry);
  if (each instanceof z.ZodObject) return { kind: 'map', fields: fieldsOf(each) };
  if (inner instanceof z.ZodObject) return { kind: 'block', fields: fieldsOf(inner) };
  if (inner instanceof z.ZodArray) return { kind: 'lines' };
  if (inner instanceof z.ZodPipe) return kindOf(inner.in as z.ZodType);
  if (inner instanceof z.ZodEnum) return { kind: 'choice', choices: inner.options.map(String) };
  if (inner instanceof z.ZodBoolean) return { kind: 'boolean' };
  if (!(inner instanceof z.ZodNumber)) return { kind: 'text' };
  return { kind: 'number', isNullable: schema.safeParse(null).success };
}
