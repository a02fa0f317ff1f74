import { editDistance } from '../lib/edit-distance.ts';
import { didYouMean, nearest } from '../lib/nearest.ts';
import { environmentName, isSecretPath, settingPaths } from './setting-paths.ts';
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

/** Variables that are read elsewhere: the choice of the file, secrets that do not belong in one, and those of clients. */
const reservedNames = [
  'LOOPWATCH_CONFIG',
  'LOOPWATCH_URL',
  'LOOPWATCH_HOOK',
  'LOOPWATCH_API_TOKEN',
  'LOOPWATCH_VIEWER_TOKEN',
  'LOOPWATCH_INGEST_TOKEN',
  'LOOPWATCH_SHARED_DATA',
];
const prefix = 'LOOPWATCH_';
/** Only Loopwatch has variables that begin with these. */
const ownPrefixes = [prefix, 'TOOL_LOOP_'];

/** What other clients of Kafka call `KAFKA_BROKERS`. */
const brokersElsewhere = new Set(['KAFKA_BOOTSTRAP_SERVERS', 'KAFKA_BOOTSTRAP_SERVER', 'KAFKA_BROKER_LIST']);
/** Edits that make one of the short names of another one. */
const MAX_EDITS = 2;

/** Kubernetes adds variables for each service, such as `LOOPWATCH_SERVER_PORT=tcp://10.0.0.1:4600`; they are no settings. */
const serviceLinks =
  /_SERVICE_HOST$|_SERVICE_PORT(_[A-Z0-9_]+)?$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/;
const serviceAddress = /^(tcp|udp|sctp):\/\//;

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
    return text.trim() === '' || serviceAddress.test(text) ? [] : [{ name, path, text }];
  });
  const errors = known.flatMap(([name, path]) => {
    const text = environment[name] ?? '';
    const isBlank = text !== '' && text.trim() === '' && isSecretPath(path);
    return isBlank ? [`${name}: ${path} is blank; set it to the secret, or unset it`] : [];
  });
  const unknown = Object.keys(environment).filter((name) => isMisspelled(name, environment));
  return { settings, warnings: unknown.toSorted().map(warningFor), errors };
}

/** Whether a variable is meant for Loopwatch, but not read. */
function isMisspelled(name: string, environment: Readonly<Record<string, string | undefined>>): boolean {
  const isUnread =
    !pathsByName.has(name) && !reservedNames.includes(name) && !Object.hasOwn(shortEnvironmentNames, name);
  if (!isUnread || serviceLinks.test(name) || (environment[name] ?? '') === '') return false;
  const capitals = name.toUpperCase();
  // Names in small letters are the same variables on Windows, and others elsewhere.
  if (ownPrefixes.some((own) => capitals.startsWith(own)))
    return name === capitals || environment[capitals] === undefined;
  const meant = shortNameFor(capitals);
  // Both may be there, each for a program of its own.
  return meant !== undefined && environment[meant] === undefined;
}

/** The short name that a variable of another prefix seems to mean. */
function shortNameFor(capitals: string): string | undefined {
  if (brokersElsewhere.has(capitals)) return 'KAFKA_BROKERS';
  return Object.keys(shortEnvironmentNames).find((short) => editDistance(capitals, short) <= MAX_EDITS);
}

function warningFor(name: string): string {
  return `unknown environment variable ${name}${didYouMean(meantBy(name.toUpperCase()))}`;
}

function meantBy(name: string): string | undefined {
  if (!name.startsWith(prefix))
    return shortNameFor(name) ?? nearest(name, Object.keys(shortEnvironmentNames));
  const candidates = [...pathsByName.keys(), ...reservedNames];
  const known = candidates.map((candidate) => candidate.slice(prefix.length));
  const rest = name.slice(prefix.length);
  if (known.includes(rest)) return name;
  const endings = known.filter((candidate) => candidate.endsWith(`_${rest}`));
  const suggestion = endings.length === 1 ? endings[0] : nearest(rest, known);
  return suggestion === undefined ? undefined : `${prefix}${suggestion}`;
}
