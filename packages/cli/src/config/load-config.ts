import { type Settings, settingsSchema } from '@loopwatch/contract';
import {
  findSetting,
  resolveSettings,
  type SettingOrigin,
  valueFromText,
} from '@loopwatch/contract/internal';
import { UsageError } from '../errors.ts';
import type { ConfigOptions } from './options.ts';
import { readConfigFile } from './read-config-file.ts';

/** A flag for one setting, such as `--port` for `server.port`; `text` is undefined if the flag is absent. */
export interface SettingFlag {
  readonly flag: string;
  readonly path: string;
  readonly text: string | undefined;
}

export interface LoadedConfig {
  readonly settings: Settings;
  /** Origin of each value, by dotted path. */
  readonly origins: Readonly<Record<string, SettingOrigin>>;
  readonly warnings: readonly string[];
}

/**
 * Reads the configuration: flags override the environment, which overrides the file. A command's own flags override
 * `--set`.
 *
 * @throws UsageError with every error, one per line
 */
export function loadConfig(
  options: ConfigOptions = {},
  ownFlags: readonly SettingFlag[] = [],
  environment: Readonly<Record<string, string | undefined>> = process.env,
): LoadedConfig {
  const faults: string[] = [];
  const file = attempt(() => readFile(options, environment), faults);
  const assignments = (options.set ?? []).map((text) => attempt(() => parseAssignment(text), faults));
  const given = [...assignments, ...ownFlags].filter((flag) => flag !== undefined);
  const flags = given.flatMap(({ flag, path, text }) => (text === undefined ? [] : [{ flag, path, text }]));

  const resolved = resolveSettings({
    ...(file !== undefined && { file }),
    environment,
    flags: Object.fromEntries(flags.map(({ path, text }) => [path, flagValue(path, text)])),
    flagNames: Object.fromEntries(flags.map(({ flag, path }) => [path, flag])),
  });
  if (!resolved.ok) faults.push(...resolved.errors);
  if (!resolved.ok || faults.length > 0) throw new UsageError(faults.join('\n'));
  return { settings: resolved.settings, origins: resolved.origins, warnings: resolved.warnings };
}

function readFile(
  { config }: ConfigOptions,
  environment: Readonly<Record<string, string | undefined>>,
): { name: string; value: unknown } | undefined {
  const name = config ?? (environment['LOOPWATCH_CONFIG'] || undefined);
  return name === undefined ? undefined : { name, value: readConfigFile(name) };
}

function parseAssignment(assignment: string): SettingFlag {
  const equals = assignment.indexOf('=');
  if (equals < 1) throw new UsageError(`--set: expected path=value, got ${JSON.stringify(assignment)}`);
  return { flag: '--set', path: assignment.slice(0, equals).trim(), text: assignment.slice(equals + 1) };
}

/** Parses the text of a flag by the schema; keeps the text of an unknown path, which validation rejects. */
function flagValue(path: string, text: string): unknown {
  const setting = findSetting(settingsSchema, path);
  return setting === undefined ? text : valueFromText(text, setting.schema);
}

/** Continues after an error, to report all errors together. */
function attempt<T>(read: () => T, faults: string[]): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    faults.push(error.message);
    return undefined;
  }
}
