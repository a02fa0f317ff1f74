import type { DetectionInput, DetectionSettings } from '@loopwatch/contract';
import {
  allowedValues,
  choiceFrom,
  detectionDefinition,
  didYouMean,
  entrySchema,
  findSetting,
  nearest,
  type SettingIssue,
  type SettingSchema,
  safeParseSettings,
  schemaShape,
  unwrapSchema,
  valueAt,
} from '@loopwatch/contract/internal';
import { shownValue } from './shown-value.ts';

/* What a program passes. Errors name the option, its value and what is allowed, and the option that was probably meant. */

/**
 * @param known the names of all options, and what each allows: words such as `a, b`, `text` that is not empty, or any value
 * @throws TypeError
 */
export function checkOptions(options: object, known: Readonly<Record<string, string>>): void {
  const names = Object.keys(known);
  for (const [name, value] of Object.entries(options) as [string, unknown][]) {
    const allowed = known[name];
    if (allowed === undefined)
      throw new TypeError(
        `${name} is no option; allowed: ${names.join(', ')}${didYouMean(nearest(name, names))}`,
      );
    if (value !== undefined && !allows(allowed, value))
      throw new TypeError(`${name} is ${shownValue(value)}; allowed: ${allowed}`);
  }
}

function allows(allowed: string, value: unknown): boolean {
  if (allowed === 'text') return typeof value === 'string' && value !== '';
  return allowed === '' || allowed.split(', ').includes(String(value).toLowerCase());
}

/** Settings of detection; a word such as `chance` may be in any case. @throws TypeError */
export function settingsFrom(input: DetectionInput): DetectionSettings {
  const given = spelled(detectionDefinition, input);
  const parsed = safeParseSettings(detectionDefinition, given);
  if (parsed.success) return parsed.data;
  throw new TypeError(parsed.issues.map((issue) => faultOf(given, issue)).join('; '));
}

function spelled(schema: SettingSchema, value: unknown): unknown {
  const inner = unwrapSchema(schema);
  if (typeof value === 'string') return choiceFrom(value, inner);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const shape = schemaShape(inner) ?? {};
  const entry = entrySchema(inner);
  const parts = Object.entries(value).map(([key, part]): [string, unknown] => {
    const own = Object.hasOwn(shape, key) ? shape[key] : entry;
    return [key, own === undefined ? part : spelled(own, part)];
  });
  return Object.fromEntries(parts);
}

function faultOf(given: unknown, issue: SettingIssue): string {
  const keys = issue.path.map(String);
  const name = ['settings', ...keys].join('.');
  const schema =
    keys.length === 0 ? detectionDefinition : findSetting(detectionDefinition, keys.join('.'))?.schema;
  if (schema === undefined || issue.code === 'custom') return `${name}: ${issue.message}`;
  if (issue.code !== 'unrecognized_keys')
    return `${name} is ${shownValue(valueAt(given, keys))}; allowed: ${allowedValues(schema)}`;
  const known = Object.keys(schemaShape(unwrapSchema(schema)) ?? {});
  const faults = issue.keys.map((key) => `${name}.${key} is no setting${didYouMean(nearest(key, known))}`);
  return faults.join('; ');
}
