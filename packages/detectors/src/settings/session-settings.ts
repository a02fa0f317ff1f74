import type { DetectionSettings } from '@loopwatch/contract';
import { detectionDefinition, safeParseSettings, settingPaths } from '@loopwatch/contract/internal';
import { isOfProcess } from './process-settings.ts';
import type { Refusal } from './refusal.ts';

/** Settings of one session, by dotted path, overriding the wider settings. */
export type SessionOverrides = Readonly<Record<string, unknown>>;

/** The settings that a session can have. */
export const sessionPaths: readonly string[] = settingPaths(detectionDefinition).flatMap(({ path }) =>
  isOfProcess(path) ? [] : path,
);

/**
 * Applies the settings that a control event sets and unsets. An invalid key or value changes nothing.
 *
 * @returns the new overrides and settings, or why there are none
 */
export function applyControl(
  base: DetectionSettings,
  overrides: SessionOverrides,
  change: {
    set?: Readonly<Record<string, unknown>> | null | undefined;
    unset?: readonly string[] | null | undefined;
  },
): { overrides: SessionOverrides; settings: DetectionSettings } | { refused: Refusal } {
  const set = change.set ?? {};
  const unset = change.unset ?? [];
  const unknown = [...Object.keys(set), ...unset].find((path) => !isSettable(path));
  if (unknown !== undefined) return { refused: { path: unknown } };
  const next = Object.fromEntries(
    Object.entries({ ...overrides, ...set }).filter(([path]) => !unset.includes(path)),
  );
  const input = JSON.parse(JSON.stringify(base)) as Record<string, unknown>;
  for (const [path, value] of Object.entries(next)) assignPath(input, path.split('.'), value);
  const parsed = safeParseSettings(detectionDefinition, input);
  return parsed.success
    ? { overrides: next, settings: parsed.data }
    : { refused: { values: next, issues: parsed.issues } };
}

/**
 * Stored settings, without those that are no longer valid.
 *
 * @returns the same object if all of them are valid
 */
export function soundOverrides(base: DetectionSettings, overrides: SessionOverrides): SessionOverrides {
  if (!('refused' in applyControl(base, overrides, {}))) return overrides;
  let sound: SessionOverrides = {};
  for (const [path, value] of Object.entries(overrides)) {
    const result = applyControl(base, sound, { set: { [path]: value } });
    if (!('refused' in result)) sound = result.overrides;
  }
  return sound;
}

/**
 * The control event change that turns one session's settings into another's.
 *
 * @returns undefined if they are equal
 */
export function changeBetween(
  own: SessionOverrides,
  wanted: SessionOverrides,
): { readonly set: SessionOverrides; readonly unset: readonly string[] } | undefined {
  const unset = Object.keys(own).filter((path) => !Object.hasOwn(wanted, path));
  const isNew = Object.entries(wanted).some(
    ([path, value]) => JSON.stringify(own[path]) !== JSON.stringify(value),
  );
  return unset.length === 0 && !isNew ? undefined : { set: { ...wanted }, unset };
}

/** Whether a person has stopped the session, or all sessions; the session's own setting wins. */
export function isStopped(
  { stopped }: Pick<DetectionSettings, 'stopped'>,
  overrides: SessionOverrides = {},
): boolean {
  const own = overrides['stopped'];
  return own === true || (own !== false && stopped);
}

function isSettable(path: string): boolean {
  return sessionPaths.includes(path) || path.startsWith('tool_call_loop.per_tool.');
}

/** Sets a value at a path, creating blocks as needed. */
export function assignPath(
  target: Record<string, unknown>,
  [head, ...rest]: readonly string[],
  value: unknown,
): void {
  if (head === undefined || head === '__proto__') return;
  if (rest.length === 0) {
    target[head] = value;
    return;
  }
  const inner = target[head];
  const next = typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>) : {};
  target[head] = next;
  assignPath(next, rest, value);
}
