import {
  allowedValues,
  didYouMean,
  findSetting,
  nearest,
  type SettingIssue,
  type SettingSchema,
  safeParseSettings,
} from '@loopwatch/contract/internal';
import { assignPath } from './session-settings.ts';
import { shownValue } from './shown-value.ts';

/** The target of a merge, and the schema that the values must match. */
export interface MergeTarget {
  readonly target: Record<string, unknown>;
  /** Keys of the block that the values' paths are relative to. */
  readonly block: readonly string[];
  readonly schema: SettingSchema;
  /** Whose settings these are, as in `a session`. */
  readonly owner: string;
}

/**
 * Merges values into settings, each at its dotted path.
 *
 * @returns the errors; each names the key, the value and what is allowed
 */
export function mergeSettings(
  { target, block, schema, owner }: MergeTarget,
  values: Readonly<Record<string, unknown>>,
): string[] {
  return Object.entries(values).flatMap(([path, value]) => {
    const place = findSetting(schema, path);
    if (place === undefined) return unknownSetting(path, owner, []);
    const parsed = safeParseSettings(place.schema, value);
    if (!parsed.success) return refusedValue(path, value, place.schema, parsed.issues);
    assignPath(target, [...block, ...place.keys], value);
    return [];
  });
}

/** Error text for an unknown setting, with a suggestion. A block, as files have it, is none. */
export function unknownSetting(path: string, owner: string, known: readonly string[]): string {
  const inner = known.find((one) => one.startsWith(`${path}.`));
  const hint = inner === undefined ? didYouMean(nearest(path, known)) : `: set its keys, such as ${inner}`;
  return `${path} is no setting of ${owner}${hint}`;
}

/** @param issues the schema's issues; missing details are added */
function refusedValue(
  name: string,
  value: unknown,
  schema: SettingSchema,
  issues: readonly SettingIssue[],
): string {
  const own = issues.flatMap(({ code, message }) => (code === 'custom' ? message : []));
  return `${name} is ${shownValue(value)}; allowed: ${[allowedValues(schema), ...own].join('; ')}`;
}
