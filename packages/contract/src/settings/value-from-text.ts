import { safeParse } from 'zod/mini';
import type * as core from 'zod/v4/core';
import { jsonFrom } from '../lib/read-json.ts';
import { type SettingSchema, schemaDef, unwrapSchema } from './setting-paths.ts';

/** The values of settings from texts: environment variables, flags, chat commands. */

const booleanWords: ReadonlyMap<string, boolean> = new Map([
  ...['true', '1', 'yes', 'on'].map((word) => [word, true] as const),
  ...['false', '0', 'no', 'off'].map((word) => [word, false] as const),
]);

/**
 * Converts the text of an environment variable or flag to a value: JSON if the schema accepts it, a list for an array
 * (`a:9092,b:9092`), a boolean for words such as `yes` and `off`, else the text itself. A text that cannot be converted
 * is returned unchanged, so that the schema reports it.
 */
export function valueFromText(text: string, schema: SettingSchema): unknown {
  const def = schemaDef(unwrapSchema(schema));
  // A text with a format, such as a URL, may be written in quotes.
  if (def.type === 'string' && !('format' in def)) return text;
  // A choice of older spellings may be written in quotes.
  if (def.type === 'enum' && def.checks === undefined) return choiceFrom(text, schema);
  if (def.type !== 'array') return scalarFromText(text, schema, isAccepted);
  const json = jsonFrom(text);
  return Array.isArray(json) ? json : listFrom(text);
}

function isAccepted(schema: SettingSchema, value: unknown): boolean {
  return safeParse(schema as core.$ZodType, value).success;
}

/**
 * The same for a value that is neither free text nor a list.
 *
 * @param accepts whether the schema does
 */
export function scalarFromText(
  text: string,
  schema: SettingSchema,
  accepts: (schema: SettingSchema, value: unknown) => boolean,
): unknown {
  const { type } = schemaDef(unwrapSchema(schema));
  if (type === 'boolean') return booleanWords.get(text.trim().toLowerCase()) ?? text;
  const json = jsonFrom(text);
  if (json === undefined) return choiceFrom(text, schema);
  return accepts(schema, json) || !accepts(schema, text) ? json : text;
}

/** A word such as `CHANCE`, as the schema spells it; other texts are unchanged. */
export function choiceFrom(text: string, schema: SettingSchema): string {
  const words = wordsOf(schema);
  const word = text.trim().toLowerCase();
  return words.includes(text) ? text : (words.find((known) => known.toLowerCase() === word) ?? text);
}

function wordsOf(schema: SettingSchema): string[] {
  const def = schemaDef(unwrapSchema(schema));
  return def.type === 'enum' ? Object.values(def.entries).map(String) : [];
}

function listFrom(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
