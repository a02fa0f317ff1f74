import { type DetectionSettings, detectionSchema } from '@loopwatch/contract';
import { didYouMean, nearest, settingPaths } from '@loopwatch/contract/internal';
import { belongsToProcess } from './process-settings.ts';
import { shownValue } from './shown-value.ts';

/** Settings of one session, by dotted path, overriding the wider settings. */
export type SessionOverrides = Readonly<Record<string, unknown>>;

const paths = settingPaths(detectionSchema).flatMap(({ path }) => (belongsToProcess(path) ? [] : path));

/**
 * Applies the settings that a control event sets and unsets. An invalid key or value changes nothing.
 *
 * @returns the new overrides and settings, or an error that names the key, the value and what is allowed
 */
export function applyControl(
  base: DetectionSettings,
  overrides: SessionOverrides,
  change: {
    set?: Readonly<Record<string, unknown>> | null | undefined;
    unset?: readonly string[] | null | undefined;
  },
): { overrides: SessionOverrides; settings: DetectionSettings } | { refused: string } {
  const set = change.set ?? {};
  const unset = change.unset ?? [];
  for (const path of [...Object.keys(set), ...unset]) {
    if (isSettable(path)) continue;
    const refused = belongsToProcess(path);
    return { refused: refused ?? `${path} is no setting of a session${didYouMean(nearest(path, paths))}` };
  }
  const next = Object.fromEntries(
    Object.entries({ ...overrides, ...set }).filter(([path]) => !unset.includes(path)),
  );
  const input = JSON.parse(JSON.stringify(base)) as Record<string, unknown>;
  for (const [path, value] of Object.entries(next)) assignPath(input, path.split('.'), value);
  const parsed = detectionSchema.safeParse(input);
  if (parsed.success) return { overrides: next, settings: parsed.data };
  const faults = parsed.error.issues.map(({ path, message }) => {
    const key = path.join('.');
    // The given path may be above the invalid one, as a whole block, or below it, as a key that its block does not have.
    const given = Object.keys(next).find(
      (one) => `${key}.`.startsWith(`${one}.`) || one.startsWith(`${key}.`),
    );
    return `${given ?? key} = ${shownValue(next[given ?? key])}: ${message}`;
  });
  return { refused: faults.join('; ') };
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
  return paths.includes(path) || path.startsWith('tool_call_loop.per_tool.');
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
