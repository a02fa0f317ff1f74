import { didYouMean, environmentName, nearest, settingPaths } from './setting-paths.ts';
import { settingsSchema } from './settings.ts';

/** Which environment variables are settings, and which look as if they were meant to be. */

/** One setting that a variable gives. */
export interface EnvironmentSetting {
  readonly name: string;
  readonly path: string;
  readonly text: string;
}

/** Names that other tools share, or that are older than the scheme; the setting's own name wins over them. */
export const shortEnvironmentNames: Readonly<Record<string, string>> = {
  KAFKA_BROKERS: 'kafka.brokers',
  DATABASE_URL: 'storage.database_url',
  TOOL_LOOP_DETECTION_ENABLED: 'tool_call_loop.enabled',
  TOOL_LOOP_MAX_REPEATS: 'tool_call_loop.max_repeats',
  TOOL_LOOP_TTL_SECONDS: 'tool_call_loop.ttl_seconds',
  TOOL_LOOP_MODE: 'tool_call_loop.mode',
};

/** Read elsewhere: they choose the file, or are secrets that do not belong into one. */
const reservedNames = [
  'LOOPWATCH_CONFIG',
  'LOOPWATCH_API_TOKEN',
  'LOOPWATCH_VIEWER_TOKEN',
  'LOOPWATCH_SHARED_DATA',
];
const prefix = 'LOOPWATCH_';

/** `similarity_threshold` and `similarity.threshold` have one name, which sets the latter: it is the one that wins. */
const ownNames = new Map(settingPaths(settingsSchema).map(({ path }) => [environmentName(path), path]));

/** The settings among the variables, those that win last; an empty variable counts as not set. */
export function environmentSettings(environment: Readonly<Record<string, string | undefined>>): {
  readonly settings: readonly EnvironmentSetting[];
  readonly warnings: readonly string[];
} {
  const known = [...Object.entries(shortEnvironmentNames), ...ownNames];
  const settings = known.flatMap(([name, path]) => {
    const text = environment[name] ?? '';
    return text.trim() === '' ? [] : [{ name, path, text }];
  });
  const unknown = Object.keys(environment).filter((name) => name.startsWith(prefix) && !isKnown(name));
  return { settings, warnings: unknown.toSorted().map(warningOf) };
}

function isKnown(name: string): boolean {
  return ownNames.has(name) || reservedNames.includes(name);
}

function warningOf(name: string): string {
  const candidates = [...ownNames.keys(), ...reservedNames];
  const known = candidates.map((candidate) => candidate.slice(prefix.length));
  const rest = name.slice(prefix.length);
  const endings = known.filter((candidate) => candidate.endsWith(`_${rest}`));
  const meant = endings.length === 1 ? endings[0] : nearest(rest, known);
  const hint = didYouMean(meant === undefined ? undefined : `${prefix}${meant}`);
  return `the environment variable ${name} is no setting${hint}`;
}
