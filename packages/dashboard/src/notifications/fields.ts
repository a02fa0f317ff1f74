import { detectorIds, type NotificationType } from '@loopwatch/contract';
import type { NotificationPut, NotificationStatus } from '@loopwatch/contract/api';
import { hiddenValue, notificationSecrets } from '@loopwatch/contract/internal';

/** Fields of the form, and conversion between form texts and entries of `notifications`. */

export interface Field {
  readonly key: string;
  readonly label: string;
  readonly hint?: string;
  readonly placeholder?: string;
  /** Never shown again after saving. */
  readonly secret?: true;
  /** `list`: separated by commas, in quotes if a value contains one; `pairs`: name=value, separated by commas. */
  readonly kind?: 'number' | 'list' | 'pairs';
  /** Allowed values, shown as a placeholder. */
  readonly choices?: readonly string[];
}

const perMinute: Field = {
  key: 'max_per_minute',
  label: 'Messages per minute',
  kind: 'number',
  placeholder: '10',
  hint: 'Anything above this is sent as one digest.',
};

const weeklyReport: Field = {
  key: 'weekly_report',
  label: 'Weekly report',
  placeholder: 'monday 08:00',
  hint: 'Day and time, UTC, to send the report of the week before. Empty: none.',
};

export const typeFields: Readonly<
  Record<NotificationType, { readonly title: string; readonly fields: readonly Field[] }>
> = {
  slack: {
    title: 'Slack',
    fields: [
      {
        key: 'url',
        label: 'Incoming webhook URL',
        placeholder: 'https://hooks.slack.com/services/…',
        secret: true,
      },
      {
        key: 'token',
        label: 'Bot token (instead of a webhook URL)',
        placeholder: 'xoxb-…',
        hint: 'A bot updates one message per incident instead of posting again. It needs the scope chat:write.',
        secret: true,
      },
      { key: 'channel', label: 'Channel', placeholder: '#agents', hint: 'Where the bot posts.' },
      perMinute,
      weeklyReport,
    ],
  },
  teams: {
    title: 'Teams',
    fields: [
      {
        key: 'url',
        label: 'Workflow URL',
        hint: 'From the workflow “Send webhook alerts to a channel”.',
        secret: true,
      },
      perMinute,
      weeklyReport,
    ],
  },
  discord: {
    title: 'Discord',
    fields: [
      {
        key: 'url',
        label: 'Webhook URL',
        placeholder: 'https://discord.com/api/webhooks/…',
        hint: 'One message per incident is posted and updated.',
        secret: true,
      },
      perMinute,
      weeklyReport,
    ],
  },
  email: {
    title: 'Email',
    fields: [
      { key: 'host', label: 'Mail server', placeholder: 'smtp.example.com' },
      { key: 'port', label: 'Port', kind: 'number', placeholder: '587' },
      {
        key: 'encryption',
        label: 'Encryption',
        placeholder: 'starttls',
        choices: ['starttls', 'tls', 'none'],
        hint: 'tls: from the start, usually at port 465.',
      },
      { key: 'user', label: 'User' },
      { key: 'password', label: 'Password', secret: true },
      { key: 'from', label: 'From', placeholder: 'loopwatch@example.com' },
      { key: 'to', label: 'To', kind: 'list', placeholder: 'oncall@example.com' },
      perMinute,
      weeklyReport,
    ],
  },
  pagerduty: {
    title: 'PagerDuty',
    fields: [
      { key: 'routing_key', label: 'Routing key', hint: 'From an Events API v2 integration.', secret: true },
      perMinute,
    ],
  },
  webhook: {
    title: 'Webhook',
    fields: [
      { key: 'url', label: 'URL', placeholder: 'https://ops.example.com/hooks/loopwatch', secret: true },
      { key: 'secret', label: 'Secret', hint: 'Signs each message (Standard Webhooks).', secret: true },
      perMinute,
      weeklyReport,
    ],
  },
  langfuse: {
    title: 'Langfuse',
    fields: [
      { key: 'base_url', label: 'URL', placeholder: 'https://cloud.langfuse.com' },
      { key: 'public_key', label: 'Public key', placeholder: 'pk-lf-…' },
      { key: 'secret_key', label: 'Secret key', placeholder: 'sk-lf-…', secret: true },
      { key: 'score', label: 'Score name', placeholder: 'loop' },
    ],
  },
  otlp: {
    title: 'OpenTelemetry',
    fields: [
      { key: 'endpoint', label: 'Endpoint', placeholder: 'http://localhost:4318' },
      {
        key: 'headers',
        label: 'Headers',
        placeholder: 'name=value, name=value',
        kind: 'pairs',
        secret: true,
      },
    ],
  },
};

/** Incident filters; an empty field matches everything. */
export const ruleFields: readonly Field[] = [
  { key: 'action', label: 'Action', kind: 'list', choices: ['warn', 'chance', 'block'] },
  { key: 'kind', label: 'Kind', kind: 'list', choices: ['loop', 'limit', 'outage'] },
  { key: 'detector', label: 'Detector', kind: 'list', choices: detectorIds },
  { key: 'agent', label: 'Agent', kind: 'list' },
  { key: 'model', label: 'Model', kind: 'list' },
  { key: 'tool', label: 'Tool', kind: 'list' },
  { key: 'min_usd', label: 'Minimum cost, USD', kind: 'number' },
  { key: 'min_tokens', label: 'Minimum tokens', kind: 'number' },
];

/** Form state: texts by field key. */
export interface Draft {
  readonly name: string;
  readonly type: NotificationType;
  readonly texts: Readonly<Record<string, string>>;
  /** Keys of saved secrets, kept unless a new text is typed. */
  readonly saved: readonly string[];
  /** What the API has set and the form does not show, such as `max_age`. */
  readonly kept: Readonly<Record<string, unknown>>;
}

export const emptyDraft: Draft = { name: '', type: 'slack', texts: {}, saved: [], kept: {} };

export function draftOf({ name, type, entry = {} }: NotificationStatus): Draft {
  const saved = notificationSecrets(entry).filter((key) => entry[key] === hiddenValue);
  const { when, name: _name, type: _type, ...own } = entry;
  const shown = new Map([...typeFields[type].fields, ...ruleFields].map((field) => [field.key, field]));
  const given = Object.entries({ ...own, ...(when as object) }).filter(
    ([key]) => !saved.includes(key as never),
  );
  const texts = given.flatMap(([key, value]) => {
    const field = shown.get(key);
    return field === undefined ? [] : [[key, textOf(field, value)] as const];
  });
  return {
    name,
    type,
    texts: Object.fromEntries(texts),
    saved,
    kept: Object.fromEntries(given.filter(([key]) => !shown.has(key))),
  };
}

/** The entry to save; the server validates it. */
export function entryOf({ type, texts, saved, kept }: Draft): NotificationPut {
  const { fields } = typeFields[type];
  const values = valuesOf(fields, texts);
  // Slack takes either a URL or a token; a new one replaces the other.
  const replaced = type === 'slack' && ('url' in values || 'token' in values);
  const unchanged = fields.filter(({ key }) => !(key in values) && !replaced && saved.includes(key));
  return {
    type,
    ...kept,
    ...values,
    ...Object.fromEntries(unchanged.map(({ key }) => [key, hiddenValue])),
    when: valuesOf(ruleFields, texts),
  };
}

function valuesOf(fields: readonly Field[], texts: Draft['texts']): Record<string, unknown> {
  return Object.fromEntries(
    fields.flatMap((field) => {
      const text = texts[field.key]?.trim() ?? '';
      return text === '' ? [] : [[field.key, valueOf(field, text)]];
    }),
  );
}

function valueOf({ kind }: Field, text: string): unknown {
  // A text that is not a number is sent unchanged, so that the server reports it.
  if (kind === 'number') return Number.isNaN(Number(text)) ? text : Number(text);
  if (kind === undefined) return text;
  if (kind === 'list') return readList(text);
  const parts = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  return Object.fromEntries(parts.map((part) => [part.split('=')[0] ?? '', part.replace(/^[^=]*=?/, '')]));
}

function textOf({ kind }: Field, value: unknown): string {
  return kind === 'list' ? writeList([value].flat() as string[]) : String(value);
}

/** Values of a list, as `writeList` writes them. */
export function readList(text: string): string[] {
  const values = text.match(/\s*"(?:[^"]|"")*"\s*(?=,|$)|[^,]+/g) ?? [];
  return values.map((value) => unquote(value.trim())).filter((value) => value !== '');
}

/** A list as typed: a value that contains a comma, or begins with a quote, is in quotes, and a quote inside is doubled. */
export function writeList(values: readonly string[]): string {
  return values
    .map((value) => (/,|^"|^\s|\s$/.test(value) ? `"${value.replaceAll('"', '""')}"` : value))
    .join(', ');
}

function unquote(value: string): string {
  return /^".*"$/s.test(value) && value !== '"' ? value.slice(1, -1).replaceAll('""', '"') : value;
}
