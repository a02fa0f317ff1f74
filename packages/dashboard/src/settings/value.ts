import { jsonFrom } from '@loopwatch/contract';
import type { SettingKey } from '@loopwatch/contract/api';

/** Conversion between setting values and form texts. */

export type Checked = { readonly value: unknown } | { readonly error: string };

/** What a form shows for a value. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Parses a form text as a setting value or explains why it is invalid; the server validates again. */
export function check(key: SettingKey, text: string): Checked {
  const given = text.trim();
  const wrong = { error: `${key.path}: expected ${key.allowed}, got “${given}”` };
  if (given === '') {
    return key.nullable ? { value: null } : { error: `${key.path}: expected ${key.allowed}` };
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
      // A list may also be comma-separated.
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

/** Display name of a scope. */
export function scopeName(scope: string): string {
  if (scope === 'server') return 'Server';
  const [, name = ''] = /^(?:model|session):(.*)$/.exec(scope) ?? [];
  return name;
}

/** @returns undefined if the text is not a valid scope */
export function readScope(text: string | undefined): string | undefined {
  if (text === undefined || text === 'server') return 'server';
  return /^(?:model:[^/]+\/.+|session:.+)$/.test(text) ? text : undefined;
}

const acronyms = /\b(ttl|gui|url|id)\b/g;

/** Keys whose words alone say too little. */
const labels: Readonly<Record<string, string>> = {
  usd: 'US dollars',
  per: 'Counted per',
  on_budget: 'When a budget is used up',
};

/** Label of a key: `max_repeats` is "Max repeats", `ttl_seconds` is "TTL (seconds)". */
export function labelOf(key: string): string {
  const own = labels[key];
  if (own !== undefined) return own;
  const unit = units.find(([ending]) => key.endsWith(ending));
  const bare = unit === undefined ? key : key.slice(0, -unit[0].length);
  const words = bare.replaceAll(/[_.]/g, ' ').replaceAll(acronyms, (word) => word.toUpperCase());
  const label = words.charAt(0).toUpperCase() + words.slice(1);
  return unit === undefined ? label : `${label} (${unit[1]})`;
}

/** Unit of a setting, by the suffix of its key. */
const units: readonly (readonly [ending: string, unit: string])[] = [
  ['_ms', 'milliseconds'],
  ['_seconds', 'seconds'],
  ['_minutes', 'minutes'],
  ['_days', 'days'],
  ['_chars', 'characters'],
  ['_bytes', 'bytes'],
  ['_megabytes', 'megabytes'],
];

/** Examples of settings that are edited as JSON, by path. */
export const jsonExamples: Readonly<Record<string, object>> = {
  'tool_call_loop.per_tool': { deploy_status: { max_repeats: 9, ttl_seconds: 600 } },
  per_tool: { search_web: { volatile: ['request_id'] }, ci_result: { poller: true } },
  agents: { 'my-agent': { names: ['my-agent-v2'], tools: { ci_result: { poller: true } } } },
};
