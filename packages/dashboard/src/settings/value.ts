import { jsonFrom } from '@loopwatch/contract';
import type { SettingKey } from '@loopwatch/contract/api';

/** A setting as a form holds it: a text, which becomes a value of the right type or a sentence that says why not. */

export type Checked = { readonly value: unknown } | { readonly error: string };

/** What a form shows for a value. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The value that a text stands for, checked as far as the page can; the server checks it again. */
export function check(key: SettingKey, text: string): Checked {
  const given = text.trim();
  const wrong = { error: `${key.path} takes ${key.allowed}, not “${given}”` };
  if (given === '') {
    return key.nullable ? { value: null } : { error: `${key.path} needs a value: ${key.allowed}` };
  }
  switch (key.type) {
    case 'boolean':
      return given === 'true' || given === 'false' ? { value: given === 'true' } : wrong;
    case 'integer':
    case 'number': {
      const value = Number(given);
      const fits =
        Number.isFinite(value) &&
        (key.type === 'number' || Number.isInteger(value)) &&
        value >= (key.min ?? -Infinity) &&
        value <= (key.max ?? Infinity);
      return fits ? { value } : wrong;
    }
    case 'choice':
      return key.choices?.includes(given) === true ? { value: given } : wrong;
    case 'text':
      return { value: given };
    case 'list':
    case 'map': {
      const value = jsonFrom(given);
      const fits = key.type === 'list' ? Array.isArray(value) : isObject(value);
      if (fits) return { value };
      // A list may be written as people write one.
      return key.type === 'list' && !/^[[{]/.test(given)
        ? {
            value: given
              .split(',')
              .map((part) => part.trim())
              .filter((part) => part !== ''),
          }
        : wrong;
    }
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A scope in words. */
export function scopeName(scope: string): string {
  if (scope === 'server') return 'Server';
  const [, name = ''] = /^(?:model|session):(.*)$/.exec(scope) ?? [];
  return name;
}

/** @returns undefined when it names no scope */
export function readScope(text: string | undefined): string | undefined {
  if (text === undefined || text === 'server') return 'server';
  return /^(?:model:[^/]+\/.+|session:.+)$/.test(text) ? text : undefined;
}

const acronyms = /\b(ttl|gui|url|id)\b/g;

/** A key in words: `max_repeats` is "Max repeats", `ttl_seconds` is "TTL (seconds)". */
export function labelOf(key: string): string {
  const unit = units.find(([ending]) => key.endsWith(ending));
  const bare = unit === undefined ? key : key.slice(0, -unit[0].length);
  const words = bare.replaceAll(/[_.]/g, ' ').replaceAll(acronyms, (word) => word.toUpperCase());
  const label = words.charAt(0).toUpperCase() + words.slice(1);
  return unit === undefined ? label : `${label} (${unit[1]})`;
}

/** What the number of a setting counts, by the end of its key. */
const units: readonly (readonly [ending: string, unit: string])[] = [
  ['_ms', 'milliseconds'],
  ['_seconds', 'seconds'],
  ['_minutes', 'minutes'],
  ['_days', 'days'],
  ['_chars', 'characters'],
  ['_bytes', 'bytes'],
  ['_megabytes', 'megabytes'],
];
