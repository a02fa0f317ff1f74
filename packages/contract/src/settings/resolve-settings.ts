import { environmentSettings } from './environment-settings.ts';
import { blockKeys, settingPaths, settingPlace, valueFromText } from './setting-paths.ts';
import { type Settings, settingsSchema } from './settings.ts';
import { type SettingOrigin, SettingsDraft } from './settings-draft.ts';

/** Where settings come from, the weakest first. */
export interface SettingSources {
  /** The content of a YAML or JSON file, already read. */
  readonly file?: { readonly name: string; readonly value: unknown };
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Values by dotted path. */
  readonly flags: Readonly<Record<string, unknown>>;
  /** What the flags are called, by the same paths; `--set` where nothing is said. */
  readonly flagNames?: Readonly<Record<string, string>>;
}

export type ResolvedSettings =
  | {
      readonly ok: true;
      readonly settings: Settings;
      /** For every single value, those inside records included, by its dotted path. */
      readonly origins: Readonly<Record<string, SettingOrigin>>;
      readonly warnings: readonly string[];
    }
  | { readonly ok: false; readonly errors: readonly string[] };

/** Keys whose value is the preset's until they are set. */
const presetPath =
  /^(content_loop|thought_loop)\.|^semantic\.(enabled|mode)$|^tool_call_loop\.((enabled|max_repeats|ttl_seconds|mode)$|similarity(_|\.)threshold$)/;

/**
 * Puts the effective settings together: the environment over the file, flags over the environment.
 *
 * Every fault of every source is reported at once, because whoever has made one mistake in a file would otherwise
 * meet the second one only at the next start.
 */
export function resolveSettings({
  file,
  environment,
  flags,
  flagNames = {},
}: SettingSources): ResolvedSettings {
  const draft = new SettingsDraft();
  if (file !== undefined) draft.give([], settingsSchema, file.value, { source: 'file', name: file.name });

  const { settings: variables, warnings } = environmentSettings(environment);
  for (const { name, path, text } of variables) {
    giveAt(draft, path, { source: 'environment', name }, ({ schema }) => valueFromText(text, schema));
  }
  for (const [path, value] of Object.entries(flags)) {
    giveAt(draft, path, { source: 'flag', name: flagNames[path] ?? '--set' }, () => value);
  }

  const parsed = settingsSchema.safeParse(draft.value);
  if (draft.faults.length > 0) return { ok: false, errors: draft.faults };
  if (!parsed.success) {
    return {
      ok: false,
      errors: parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`),
    };
  }
  return { ok: true, settings: parsed.data, origins: allOrigins(draft, parsed.data), warnings };
}

function giveAt(
  draft: SettingsDraft,
  path: string,
  origin: SettingOrigin,
  valueFor: (place: NonNullable<ReturnType<typeof settingPlace>>) => unknown,
): void {
  const place = settingPlace(settingsSchema, path);
  if (place === undefined) draft.refuseKey(path.split('.'), siblingsOf(path), origin);
  else draft.give(place.keys, place.schema, valueFor(place), origin);
}

/** The keys that stand beside the last one of a path; none if its block does not exist. */
function siblingsOf(path: string): string[] {
  const dot = path.lastIndexOf('.');
  if (dot === -1) return blockKeys(settingsSchema);
  const block = settingPlace(settingsSchema, path.slice(0, dot));
  return block === undefined ? [] : blockKeys(block.schema);
}

function allOrigins(draft: SettingsDraft, { preset }: Settings): Record<string, SettingOrigin> {
  const origins = new Map(draft.origins);
  for (const { path } of settingPaths(settingsSchema)) {
    if ([...draft.origins.keys()].some((given) => given === path || given.startsWith(`${path}.`))) continue;
    origins.set(path, presetPath.test(path) ? { source: 'preset', name: preset } : { source: 'default' });
  }
  return Object.fromEntries(origins);
}
