import type * as core from 'zod/v4/core';

/** The dotted paths of a settings schema: lookup, and suggestions for misspelled ones. */

/** A schema, written with `zod` or with `zod/mini`, or the definition of one. */
export interface SettingSchema {
  readonly _zod: { readonly def: core.$ZodTypeDef };
}

/** A single setting. */
export interface SettingPath {
  readonly path: string;
  readonly schema: SettingSchema;
}

/** The path of every value in an object schema, blocks excluded; a record counts as one value, besides its own keys. */
export function settingPaths(schema: SettingSchema, prefix = ''): SettingPath[] {
  const shape = schemaShape(schema);
  if (shape === undefined) return [{ path: prefix, schema }];
  const record = entrySchema(schema) === undefined ? [] : [{ path: prefix, schema }];
  const keys = Object.entries(shape).flatMap(([key, value]) =>
    settingPaths(value, prefix === '' ? key : `${prefix}.${key}`),
  );
  return [...record, ...keys];
}

/** The environment name of a path: `tool_call_loop.max_repeats` is `LOOPWATCH_TOOL_CALL_LOOP_MAX_REPEATS`. */
export function environmentName(path: string): string {
  return `LOOPWATCH_${path.replace(/[^A-Za-z0-9]+/g, '_').toUpperCase()}`;
}

/** A value or a block of the settings: the keys that lead to it, and its schema. */
export interface SettingNode {
  readonly keys: readonly string[];
  readonly schema: SettingSchema;
}

/**
 * Finds the setting at a dotted path. Names in a record can contain dots themselves (`per_tool.fs.read.mode`), so a name
 * takes as many parts as it needs for the rest of the path to exist.
 */
export function findSetting(schema: SettingSchema, path: string): SettingNode | undefined {
  return findNode(schema, path.split('.'));
}

/** The value at a dotted path, or undefined. */
export function settingValue(schema: SettingSchema, settings: object, path: string): unknown {
  return valueAt(settings, findSetting(schema, path)?.keys ?? []);
}

/** The own value at these keys, or undefined. */
export function valueAt(settings: unknown, keys: readonly string[]): unknown {
  return keys.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? (value as Record<string, unknown>)[key]
        : undefined,
    settings,
  );
}

/** The keys of a block; empty for a value, and for a record, which accepts any name. */
export function blockKeys(schema: SettingSchema): string[] {
  return Object.keys(schemaShape(schema) ?? {});
}

function findNode(schema: SettingSchema, parts: readonly string[]): SettingNode | undefined {
  if (parts.length === 0) return { keys: [], schema };
  const [head = '', ...rest] = parts;
  const shape = schemaShape(schema) ?? {};
  const value = Object.hasOwn(shape, head) ? shape[head] : undefined;
  if (value !== undefined) return prefixed(head, findNode(value, rest));
  const entry = entrySchema(schema);
  if (entry === undefined) return undefined;
  // A name with dots must be followed by a key, or a misspelled key would count as part of the name.
  for (let length = 1; length <= Math.max(1, parts.length - 1); length += 1) {
    const name = parts.slice(0, length).join('.');
    const node = findNode(entry, parts.slice(length));
    if (name !== '' && node !== undefined) return prefixed(name, node);
  }
  return undefined;
}

/** The schema of what stands under any name: in a record, or in a block beside its own keys. */
export function entrySchema(schema: SettingSchema): SettingSchema | undefined {
  const def = schemaDef(unwrapSchema(schema));
  if (def.type === 'record') return def.valueType;
  const others = def.type === 'object' ? def.catchall : undefined;
  return others?._zod.def.type === 'never' ? undefined : others;
}

/** The schemas of a block's keys; undefined for a value, and for a record. */
export function schemaShape(schema: SettingSchema): Readonly<Record<string, SettingSchema>> | undefined {
  const def = schemaDef(unwrapSchema(schema));
  return def.type === 'object' ? def.shape : undefined;
}

/** What a schema is made of; its `type` tells the kinds apart. */
export function schemaDef(schema: SettingSchema): core.$ZodTypes['_zod']['def'] {
  return (schema as core.$ZodTypes)._zod.def;
}

function prefixed(key: string, node: SettingNode | undefined): SettingNode | undefined {
  return node && { keys: [key, ...node.keys], schema: node.schema };
}

/** Numbers of tokens are no secrets. */
const secretName = /password|secret|token(?!s|_endpoint)|key|database_url/i;

/** Shown in node of a secret. */
export const hiddenValue = '******';

/** Whether the last name of a dotted path denotes a secret. The path of a file that contains one is not secret. */
export function isSecretPath(path: string): boolean {
  const name = path.slice(path.lastIndexOf('.') + 1);
  return secretName.test(name) && !name.endsWith('_file');
}

/** The schema inside default, optional and nullable wrappers. */
export function unwrapSchema(schema: SettingSchema): SettingSchema {
  const def = schemaDef(schema);
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
      return unwrapSchema(def.innerType);
    default:
      return schema;
  }
}
