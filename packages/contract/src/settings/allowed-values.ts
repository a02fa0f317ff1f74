import type * as core from 'zod/v4/core';
import { blockKeys, entrySchema, type SettingSchema, schemaDef } from './setting-paths.ts';

/** Describes the allowed values of a setting in words, for error messages and the reference. */

/** What `schema` accepts, as the end of a sentence: `a whole number from 2 to 64`. */
export function allowedValues(schema: SettingSchema): string {
  const def = schemaDef(schema);
  switch (def.type) {
    case 'optional':
    case 'default':
    case 'prefault':
      return allowedValues(def.innerType);
    case 'nullable':
      return `${allowedValues(def.innerType)}, or null`;
    case 'pipe':
      return allowedValues(def.in);
    case 'union':
      return def.options.map(allowedValues).join(', or ');
    case 'literal':
      return def.values.map((value) => JSON.stringify(value)).join(', or ');
    case 'enum':
      return `one of ${Object.values(def.entries).join(', ')}`;
    case 'boolean':
      return 'true or false';
    case 'number':
      return `${isWhole(def) ? 'a whole number' : 'a number'}${range(checksOf(def))}`;
    case 'string':
      return text(def);
    case 'array':
      return `a list, each entry ${allowedValues(def.element)}`;
    case 'object':
    case 'record':
      return block(schema);
    default:
      return 'any value';
  }
}

type Check = core.$ZodChecks['_zod']['def'];

function checksOf({ checks = [] }: core.$ZodTypeDef): Check[] {
  return checks.map((check) => (check as core.$ZodChecks)._zod.def);
}

function isWhole(def: core.$ZodNumberDef): boolean {
  return 'format' in def || checksOf(def).some(({ check }) => check === 'number_format');
}

function range(checks: readonly Check[]): string {
  let above: core.util.Numeric | undefined;
  let from: core.util.Numeric | undefined;
  let to: core.util.Numeric | undefined;
  for (const check of checks) {
    if (check.check === 'less_than') to = check.value;
    if (check.check !== 'greater_than') continue;
    if (check.inclusive) from = check.value;
    else above = check.value;
  }
  if (above !== undefined)
    return ` above ${String(above)}${to === undefined ? '' : `, at most ${String(to)}`}`;
  if (from !== undefined)
    return to === undefined ? ` of at least ${String(from)}` : ` from ${String(from)} to ${String(to)}`;
  return to === undefined ? '' : ` of at most ${String(to)}`;
}

/** `^https?$` in words: http:// or https://. */
function schemes({ source }: RegExp): string {
  const [, stem = source, word, letter] = /^\^(\w+?)(?:\((\w+)\)|(\w))\?\$$/.exec(source) ?? [];
  return `${stem}:// or ${stem}${word ?? letter ?? ''}://`;
}

function text(def: core.$ZodStringDef | core.$ZodURLDef): string {
  if ('format' in def)
    return def.protocol === undefined ? 'a URL' : `a URL that begins with ${schemes(def.protocol)}`;
  for (const check of checksOf(def)) {
    if (check.check === 'string_format' && check.pattern !== undefined)
      return `text that matches ${check.pattern.source}`;
  }
  const isFilled = checksOf(def).some((check) => check.check === 'min_length' && check.minimum > 0);
  return isFilled ? 'text that is not empty' : 'text';
}

function block(schema: SettingSchema): string {
  const names = blockKeys(schema);
  const entry = entrySchema(schema);
  const map = entry === undefined ? undefined : `a map of names to ${allowedValues(entry)}`;
  if (names.length === 0) return map ?? 'a block';
  const keys = `a block with the keys ${names.join(', ')}`;
  return map === undefined ? keys : `${keys}, and ${map}`;
}
