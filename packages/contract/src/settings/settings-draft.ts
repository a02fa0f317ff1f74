import { safeParse } from 'zod/mini';
import type * as core from 'zod/v4/core';
import { didYouMean, nearest } from '../lib/nearest.ts';
import { plainErrors } from '../lib/plain-errors.ts';
import { allowedValues } from './allowed-values.ts';
import {
  blockKeys,
  entrySchema,
  findSetting,
  hiddenValue,
  isSecretPath,
  type SettingSchema,
  schemaDef,
  schemaShape,
  settingPaths,
  unwrapSchema,
} from './setting-paths.ts';
import { settingsSchema } from './settings.ts';
import { choiceFrom } from './value-from-text.ts';
import { withoutUser } from './without-user.ts';

/** Where a value comes from; `name` is the file, environment variable, flag or preset. */
export interface SettingOrigin {
  readonly source: 'default' | 'preset' | 'file' | 'environment' | 'flag';
  readonly name?: string;
}

type Block = Record<string, unknown>;

const paths = settingPaths(settingsSchema).map(({ path }) => path);

/**
 * Settings under construction: values are merged source by source, key by key. Each value is checked when it is added, so
 * that a wrong one is found even if a later source overrides it, and all errors are reported at once.
 */
export class SettingsDraft {
  readonly value: Block = {};
  /** By the dotted path of each value, including those in records. */
  readonly origins = new Map<string, SettingOrigin>();
  readonly errors: string[] = [];

  /** Merges a value or a block into the draft. */
  merge(keys: readonly string[], schema: SettingSchema, value: unknown, origin: SettingOrigin): void {
    const { type } = schemaDef(unwrapSchema(schema));
    if (type !== 'object' && type !== 'record') {
      this.#set(keys, schema, value, origin);
      return;
    }
    // A block whose keys are all commented out reads as null in YAML.
    if (value === null || value === undefined) return;
    if (typeof value !== 'object' || Array.isArray(value)) {
      this.#rejectValue(keys, schema, value, origin);
      return;
    }
    if (entrySchema(schema) !== undefined) this.#clear(keys);
    blockAt(this.value, keys);
    for (const [key, part] of Object.entries(value)) {
      const partSchema = memberSchema(schema, key);
      if (partSchema !== undefined) this.merge([...keys, key], partSchema, part, origin);
      else this.rejectKey([...keys, key], blockKeys(schema), origin);
    }
  }

  /** Records an error about a key that does not exist, with a suggestion. */
  rejectKey(keys: readonly string[], siblings: readonly string[], origin: SettingOrigin): void {
    const suggestion = suggestKey(keys.at(-1) ?? '', keys.join('.'), siblings);
    this.errors.push(`${labelOf(origin)}: unknown key ${keys.join('.')}${didYouMean(suggestion)}`);
  }

  #set(keys: readonly string[], schema: SettingSchema, given: unknown, origin: SettingOrigin): void {
    const value = typeof given === 'string' ? choiceFrom(given, schema) : given;
    const parsed = parseBy(schema, value);
    if (!parsed.success) {
      const entry = entrySchemas(schema);
      if (entry !== undefined) {
        this.#rejectEntries(keys, entry, Array.isArray(value) ? value : [], parsed.error.issues, origin);
        return;
      }
      const own = parsed.error.issues.filter(({ code }) => code === 'custom');
      const texts = own.map(({ path, message }) => [...keys, ...path].join('.').concat(' ', message));
      this.#rejectValue(keys, schema, value, origin, texts);
      return;
    }
    setOwn(blockAt(this.value, keys.slice(0, -1)), keys.at(-1) ?? '', value);
    this.origins.set(keys.join('.'), origin);
  }

  /** Records the errors of a list of blocks. They quote no values, which may be secrets. */
  #rejectEntries(
    keys: readonly string[],
    schemas: readonly SettingSchema[],
    entries: readonly unknown[],
    issues: readonly core.$ZodIssue[],
    origin: SettingOrigin,
  ): void {
    for (const issue of issues) {
      const at = [...keys, ...issue.path.map(String)];
      if (issue.code !== 'unrecognized_keys') {
        this.errors.push(`${labelOf(origin)}: ${at.join('.')}: ${issue.message}`);
        continue;
      }
      const block = keysAt(schemas, entries, issue.path);
      for (const key of issue.keys) this.rejectKey([...at, key], block, origin);
    }
  }

  #rejectValue(
    keys: readonly string[],
    schema: SettingSchema,
    value: unknown,
    origin: SettingOrigin,
    details: readonly string[] = [],
  ): void {
    const path = keys.join('.');
    const subject = path === '' ? 'the configuration' : path;
    const shown = isSecretPath(path) ? hiddenValue : withoutUser(show(value));
    const allowed = [allowedValues(schema), ...details].join('; ');
    this.errors.push(`${labelOf(origin)}: ${subject} is ${shown}; allowed: ${allowed}`);
  }

  /** A record is one value: a later source replaces it as a whole. */
  #clear(keys: readonly string[]): void {
    setOwn(blockAt(this.value, keys.slice(0, -1)), keys.at(-1) ?? '', {});
    for (const path of this.origins.keys()) {
      if (path.startsWith(`${keys.join('.')}.`)) this.origins.delete(path);
    }
  }
}

function parseBy(schema: SettingSchema, value: unknown) {
  return safeParse(schema as core.$ZodType, value, plainErrors);
}

/** The schemas of the entries of a list of blocks; undefined for other values. */
function entrySchemas(schema: SettingSchema): readonly SettingSchema[] | undefined {
  const list = schemaDef(unwrapSchema(schema));
  const entry = list.type === 'array' ? schemaDef(list.element) : undefined;
  return entry?.type === 'union' && 'discriminator' in entry ? entry.options : undefined;
}

/** The keys allowed at a path in an entry. */
function keysAt(
  schemas: readonly SettingSchema[],
  entries: readonly unknown[],
  [index, ...inside]: readonly PropertyKey[],
): string[] {
  const { type } = entries[Number(index)] as { type?: unknown };
  const own = schemas.find((schema) => {
    const kind = schemaShape(schema)?.['type'];
    return kind !== undefined && parseBy(kind, type).success;
  });
  const node = own && findSetting(own, inside.map(String).join('.'));
  if (own === undefined) return [];
  return blockKeys(inside.length === 0 ? own : (node?.schema ?? own));
}

function memberSchema(block: SettingSchema, key: string): SettingSchema | undefined {
  const shape = schemaShape(block) ?? {};
  return Object.hasOwn(shape, key) ? shape[key] : entrySchema(block);
}

/** Suggests a sibling with a similar name, a similar path if the block does not exist, or the same name elsewhere. */
function suggestKey(key: string, path: string, siblings: readonly string[]): string | undefined {
  const similar = siblings.length > 0 ? nearest(key, siblings) : nearest(path, paths);
  if (similar !== undefined) return similar;
  const elsewhere = paths.filter((candidate) => candidate.endsWith(`.${key}`));
  return elsewhere.length === 0 || elsewhere.length > 3 ? undefined : elsewhere.join(' or ');
}

function labelOf({ source, name }: SettingOrigin): string {
  return name ?? source;
}

/** A value as JSON, shortened for an error message. */
function show(value: unknown): string {
  // JSON writes null for NaN and Infinity.
  let text = typeof value === 'number' ? String(value) : undefined;
  try {
    text ??= JSON.stringify(value);
  } catch {
    // A YAML anchor can create a circular value.
  }
  const shown = text ?? String(value);
  return shown.length <= 80 ? shown : `${shown.slice(0, 79)}…`;
}

function blockAt(root: Block, keys: readonly string[]): Block {
  return keys.reduce<Block>((block, key) => {
    if (!Object.hasOwn(block, key)) setOwn(block, key, {});
    return block[key] as Block;
  }, root);
}

/** Sets an own property whatever its name: a tool may be called `__proto__`. */
function setOwn(block: Block, key: string, value: unknown): void {
  Object.defineProperty(block, key, { value, enumerable: true, configurable: true, writable: true });
}
