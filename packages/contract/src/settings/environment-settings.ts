import { didYouMean, environmentName, isSecretPath, nearest, settingPaths } from './setting-paths.ts';
import { settingsSchema } from './settings.ts';

/** Finds the settings among the environment variables, and warns about misspelled ones. */

/** A setting that comes from an environment variable. */
export interface EnvironmentSetting {
  readonly name: string;
  readonly path: string;
  readonly text: string;
}

/** Names shared with other tools, and older names; the setting's own name takes precedence. */
export const shortEnvironmentNames: Readonly<Record<string, string>> = {
  KAFKA_BROKERS: 'kafka.brokers',
  DATABASE_URL: 'storage.database_url',
  TOOL_LOOP_DETECTION_ENABLED: 'tool_call_loop.enabled',
  TOOL_LOOP_MAX_REPEATS: 'tool_call_loop.max_repeats',
  TOOL_LOOP_TTL_SECONDS: 'tool_call_loop.ttl_seconds',
  TOOL_LOOP_MODE: 'tool_call_loop.mode',
};

/** Variables that are read elsewhere: the choice of the file, and secrets that do not belong in one. */
const reservedNames = [
  'LOOPWATCH_CONFIG',
  'LOOPWATCH_API_TOKEN',
  'LOOPWATCH_VIEWER_TOKEN',
  'LOOPWATCH_INGEST_TOKEN',
  'LOOPWATCH_SHARED_DATA',
];
const prefix = 'LOOPWATCH_';

/** `similarity_threshold` and `similarity.threshold` share one name, which sets the latter: it takes precedence. */
const pathsByName = new Map(settingPaths(settingsSchema).map(({ path }) => [environmentName(path), path]));

/** The settings among the variables, in ascending order of precedence; an empty variable counts as not set. */
export function environmentSettings(environment: Readonly<Record<string, string | undefined>>): {
  readonly settings: readonly EnvironmentSetting[];
  readonly warnings: readonly string[];
  /** Secrets of nothing but spaces: without them, a login would be tried, or left out, against the intent. */
  readonly errors: readonly string[];
} {
  const known = [...Object.entries(shortEnvironmentNames), ...pathsByName];
  const settings = known.flatMap(([name, path]) => {
    const text = environment[name] ?? '';
    return text.trim() === '' ? [] : [{ name, path, text }];
  });
  const unknown = Object.keys(environment).filter((name) => name.startsWith(prefix) && !isKnown(name));
  const errors = known.flatMap(([name, path]) => {
    const text = environment[name] ?? '';
    const isBlank = text !== '' && text.trim() === '' && isSecretPath(path);
    return isBlank ? [`${name}: ${path} is blank; set it to the secret, or unset it`] : [];
  });
  return { settings, warnings: unknown.toSorted().map(warningFor), errors };
}

function isKnown(name: string): boolean {
  return pathsByName.has(name) || reservedNames.includes(name);
}

function warningFor(name: string): string {
  const candidates = [...pathsByName.keys(), ...reservedNames];
  const known = candidates.map((candidate) => candidate.slice(prefix.length));
  const rest = name.slice(prefix.length);
  const endings = known.filter((candidate) => candidate.endsWith(`_${rest}`));
  const suggestion = endings.length === 1 ? endings[0] : nearest(rest, known);
  const hint = didYouMean(suggestion === undefined ? undefined : `${prefix}${suggestion}`);
  return `unknown environment variable ${name}${hint}`;
}
