import {
  detectionDefinition,
  entrySchema,
  findSetting,
  isSetting,
  type SettingSchema,
  schemaDef,
  schemaShape,
  unwrapSchema,
} from '@loopwatch/contract/internal';

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
export function schemaOf(path: string): SettingSchema | undefined {
  return findSetting(detectionDefinition, path)?.schema;
}

/** The fields of each entry of a map; undefined if the setting is none. */
export function fieldsOfEntries(path: string): readonly Field[] | undefined {
  const schema = schemaOf(path);
  const kind = schema && kindOf(schema);
  return kind?.kind === 'map' ? kind.fields : undefined;
}

/** Values first, then what contains further fields. */
function fieldsOf(shape: Readonly<Record<string, SettingSchema>>): Field[] {
  return Object.entries(shape)
    .map(([key, value]) => ({
      key,
      isRequired: !isSetting(value, undefined),
      ...kindOf(value),
    }))
    .toSorted((a, b) => Number('fields' in a) - Number('fields' in b));
}

function kindOf(schema: SettingSchema): FieldKind {
  const entry = entrySchema(schema);
  const each = entry && schemaShape(entry);
  if (each !== undefined) return { kind: 'map', fields: fieldsOf(each) };
  const def = schemaDef(unwrapSchema(schema));
  switch (def.type) {
    case 'object':
      return { kind: 'block', fields: fieldsOf(def.shape) };
    case 'array':
      return { kind: 'lines' };
    case 'enum':
      return { kind: 'choice', choices: Object.values(def.entries).map(String) };
    case 'boolean':
      return { kind: 'boolean' };
    case 'number':
      return { kind: 'number', isNullable: isSetting(schema, null) };
    default:
      return { kind: 'text' };
  }
}
