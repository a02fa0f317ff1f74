import type { NotificationSettings } from '@loopwatch/contract';

type Of<T extends NotificationSettings['type']> = Extract<NotificationSettings, { type: T }>;

export type WebhookChannel = Of<'webhook'> & Readonly<Record<'url' | 'secret', string>>;
export type SlackChannel = Of<'slack'>;
export type TeamsChannel = Of<'teams'> & Readonly<Record<'url', string>>;
export type DiscordChannel = Of<'discord'> & Readonly<Record<'url', string>>;
export type EmailChannel = Of<'email'>;
export type PagerdutyChannel = Of<'pagerduty'> & { readonly routing_key: string };
export type LangfuseChannel = Of<'langfuse'> & { readonly secret_key: string };
export type OtlpChannel = Of<'otlp'>;

/** A configured receiver whose secrets have been read. */
export type NotificationChannel =
  | WebhookChannel
  | SlackChannel
  | TeamsChannel
  | DiscordChannel
  | EmailChannel
  | PagerdutyChannel
  | LangfuseChannel
  | OtlpChannel;

/** The receiver as it may be displayed: a host, a channel or addresses, never a URL that holds a secret. */
export function targetOf(channel: NotificationChannel): string {
  switch (channel.type) {
    case 'webhook':
    case 'teams':
    case 'discord':
      return new URL(channel.url).host;
    case 'email':
      return [channel.to].flat().join(', ');
    case 'slack':
      return channel.channel ?? new URL(channel.url ?? channel.api_url).host;
    case 'pagerduty':
      return new URL(channel.api_url).host;
    case 'langfuse':
      return new URL(channel.base_url).host;
    case 'otlp':
      return new URL(channel.endpoint).host;
  }
}

/** First messages about incidents per minute; null: unlimited, for receivers that only store records. */
export function limitOf(channel: NotificationChannel): number | null {
  return 'max_per_minute' in channel ? channel.max_per_minute : null;
}

/** Secrets that must not appear in logs, responses or errors. */
export function secretsOf(channel: NotificationChannel): string[] {
  switch (channel.type) {
    case 'webhook':
      return [channel.url, channel.secret];
    case 'slack':
      return [channel.url, channel.token].filter((secret) => secret !== undefined);
    case 'teams':
    case 'discord':
      return [channel.url];
    case 'email':
      return channel.password === undefined ? [] : [channel.password];
    case 'pagerduty':
      return [channel.routing_key];
    case 'langfuse':
      return [channel.secret_key];
    case 'otlp':
      return Object.values(channel.headers ?? {});
  }
}
