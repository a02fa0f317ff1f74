import { type NotificationSettings, notificationSchema, type Settings } from '@loopwatch/contract';
import { notificationSecrets, plainErrors } from '@loopwatch/contract/internal';
import type { NotificationChannel } from '@loopwatch/server';
import { readSecret } from '../config/secret-files.ts';
import { UsageError } from '../errors.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The configured receivers, with secrets from environment variables and files.
 *
 * @throws UsageError naming the receiver and the setting, never the secret
 */
export function notificationChannels(
  { notifications }: Pick<Settings, 'notifications'>,
  environment: Environment = process.env,
): NotificationChannel[] {
  return notifications.map((entry) => channelOf(entry, environment));
}

function channelOf(entry: NotificationSettings, environment: Environment): NotificationChannel {
  const path = `notifications: ${entry.name}`;
  const fields: Readonly<Record<string, unknown>> = { ...entry };
  const keys = notificationSecrets(fields);
  const sources = new Set(keys.flatMap((key) => [`${key}_env`, `${key}_file`]));
  const rest = Object.entries(fields).filter(([key]) => !sources.has(key));
  const secrets = keys.map((key) => [key, secretOf(`${path}: ${key}`, fields, key, environment)] as const);
  const parsed = notificationSchema.safeParse(Object.fromEntries([...rest, ...secrets]), plainErrors);
  if (parsed.success) return parsed.data as NotificationChannel;
  const [issue] = parsed.error.issues;
  throw new UsageError(`${path}: ${String(issue?.path[0] ?? 'entry')}: ${issue?.message ?? 'is not valid'}`);
}

function secretOf(
  setting: string,
  entry: Readonly<Record<string, unknown>>,
  key: string,
  environment: Environment,
): unknown {
  const variable = entry[`${key}_env`];
  if (typeof variable !== 'string') {
    const file = entry[`${key}_file`];
    const text = readSecret(setting, undefined, typeof file === 'string' ? file : undefined);
    return text === undefined ? entry[key] : parseSecret(key, text);
  }
  const text = environment[variable]?.trim() ?? '';
  if (text === '') throw new UsageError(`${setting}_env: the environment variable ${variable} is not set`);
  return parseSecret(key, text);
}

/** Headers have the format of OTEL_EXPORTER_OTLP_HEADERS: name=value, name=value. */
function parseSecret(key: string, text: string): unknown {
  if (key !== 'headers') return text;
  const pairs = text.split(',').map((pair) => {
    const equals = pair.indexOf('=');
    return [pair.slice(0, equals).trim(), decodeURIComponent(pair.slice(equals + 1).trim())] as const;
  });
  return Object.fromEntries(pairs.filter(([name]) => name !== ''));
}
