import type * as core from 'zod/v4/core';
import type { Bounds, Limits } from './definition.ts';
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
      return numbers(boundsOf(def));
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

function boundsOf(def: core.$ZodNumberDef & Limits): Bounds {
  if (def.bounds !== undefined) return def.bounds;
  const checks = checksOf(def);
  const isWhole = 'format' in def || checks.some(({ check }) => check === 'number_format');
  return Object.assign({ isWhole }, ...checks.map(boundOf)) as Bounds;
}

function boundOf(check: Check): Bounds {
  if (check.check === 'less_than') return { max: Number(check.value) };
  if (check.check !== 'greater_than') return {};
  return check.inclusive ? { min: Number(check.value) } : { above: Number(check.value) };
}

function numbers({ isWhole, min, above, max }: Bounds): string {
  const kind = isWhole === true ? 'a whole number' : 'a number';
  if (above !== undefined)
    return `${kind} above ${String(above)}${max === undefined ? '' : `, at most ${String(max)}`}`;
  if (min !== undefined)
    return `${kind} ${max === undefined ? `of at least ${String(min)}` : `from ${String(min)} to ${String(max)}`}`;
  return max === undefined ? kind : `${kind} of at most ${String(max)}`;
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
