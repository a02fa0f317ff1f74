import { plainErrors } from '../lib/plain-errors.ts';
import { environmentSettings } from './environment-settings.ts';
import { blockKeys, findSetting, settingPaths } from './setting-paths.ts';
import { type Settings, settingsSchema } from './settings.ts';
import { type SettingOrigin, SettingsDraft } from './settings-draft.ts';
import { valueFromText } from './value-from-text.ts';

/** The sources of settings, in ascending order of precedence. */
export interface SettingSources {
  /** The parsed content of a YAML or JSON file. */
  readonly file?: { readonly name: string; readonly value: unknown };
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Values by dotted path. */
  readonly flags: Readonly<Record<string, unknown>>;
  /** The names of the flags, by the same paths; default `--set`. */
  readonly flagNames?: Readonly<Record<string, string>>;
}

export type ResolvedSettings =
  | {
      readonly ok: true;
      readonly settings: Settings;
      /** The origin of every value, including those in records, by dotted path. */
      readonly origins: Readonly<Record<string, SettingOrigin>>;
      readonly warnings: readonly string[];
    }
  | { readonly ok: false; readonly errors: readonly string[] };

/** Settings whose default comes from the preset. */
const presetPaths =
  /^(content_loop|thought_loop)\.|^semantic\.(enabled|mode)$|^tool_call_loop\.((enabled|max_repeats|ttl_seconds|mode)$|similarity(_|\.)threshold$)/;

/**
 * Merges the sources into the effective settings: environment variables override the file, flags override both. Reports
 * the errors of all sources at once.
 */
export function resolveSettings({
  file,
  environment,
  flags,
  flagNames = {},
}: SettingSources): ResolvedSettings {
  const draft = new SettingsDraft();
  if (file !== undefined) draft.merge([], settingsSchema, file.value, { source: 'file', name: file.name });

  const { settings: variables, warnings, errors } = environmentSettings(environment);
  draft.errors.push(...errors);
  for (const { name, path, text } of variables) {
    mergeAt(draft, path, { source: 'environment', name }, ({ schema }) => valueFromText(text, schema));
  }
  for (const [path, value] of Object.entries(flags)) {
    mergeAt(draft, path, { source: 'flag', name: flagNames[path] ?? '--set' }, () => value);
  }

  const parsed = settingsSchema.safeParse(draft.value, plainErrors);
  const brokers = draft.origins.get('kafka.brokers');
  // In a file, an empty list is how a template writes that there is no Kafka.
  if (parsed.data?.kafka.brokers.length === 0 && brokers?.name !== undefined && brokers.source !== 'file')
    draft.errors.push(
      `${brokers.name}: kafka.brokers is empty; write host:port, such as localhost:9092, or leave ${brokers.name} out to run without Kafka`,
    );
  if (draft.errors.length > 0) return { ok: false, errors: draft.errors };
  if (!parsed.success) {
    return {
      ok: false,
      errors: parsed.error.issues.map(
        ({ path, message }) => `${sourceOf(draft, path)}${path.join('.')}: ${message}`,
      ),
    };
  }
  return { ok: true, settings: parsed.data, origins: allOrigins(draft, parsed.data), warnings };
}

/** The source that alone has set the block around an error; empty if several have. */
function sourceOf({ origins }: SettingsDraft, path: readonly PropertyKey[]): string {
  for (let length = path.length; length > 0; length -= 1) {
    const block = path.slice(0, length).join('.');
    const inBlock = [...origins].filter(([set]) => set === block || set.startsWith(`${block}.`));
    const [name, ...others] = new Set(inBlock.map(([, origin]) => origin.name));
    if (name !== undefined) return others.length === 0 ? `${name}: ` : '';
  }
  return '';
}

function mergeAt(
  draft: SettingsDraft,
  path: string,
  origin: SettingOrigin,
  valueFor: (node: NonNullable<ReturnType<typeof findSetting>>) => unknown,
): void {
  const node = findSetting(settingsSchema, path);
  if (node === undefined) draft.rejectKey(path.split('.'), siblingsOf(path), origin);
  else draft.merge(node.keys, node.schema, valueFor(node), origin);
}

/** The keys of the block that a path leads into; none if the block does not exist. */
function siblingsOf(path: string): string[] {
  const dot = path.lastIndexOf('.');
  if (dot === -1) return blockKeys(settingsSchema);
  const block = findSetting(settingsSchema, path.slice(0, dot));
  return block === undefined ? [] : blockKeys(block.schema);
}

function allOrigins(draft: SettingsDraft, { preset }: Settings): Record<string, SettingOrigin> {
  const origins = new Map(draft.origins);
  for (const { path } of settingPaths(settingsSchema)) {
    if ([...draft.origins.keys()].some((set) => set === path || set.startsWith(`${path}.`))) continue;
    origins.set(path, presetPaths.test(path) ? { source: 'preset', name: preset } : { source: 'default' });
  }
  return Object.fromEntries(origins);
}
