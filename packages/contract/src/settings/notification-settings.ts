import * as z from 'zod';
import { detectorIds } from '../verdicts/detectors.ts';
import { hiddenValue } from './setting-paths.ts';

/** Notifications about incidents that open, escalate or resolve; one entry per receiver. */

export const notificationTypes = [
  'webhook',
  'slack',
  'teams',
  'discord',
  'email',
  'pagerduty',
  'langfuse',
  'otlp',
] as const;
export type NotificationType = (typeof notificationTypes)[number];

/** Unlike `z.hostname()`, without a lookahead, which Helm's regular expressions do not know. */
const hostName = z
  .string()
  .max(253)
  .regex(
    /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*\.?$/,
  );

const text = z.string().min(1);
const httpUrl = z.url({ protocol: /^https?$/ });
const oneOrMore = <T extends z.ZodType>(schema: T) => z.union([schema, z.array(schema).min(1)]);

/** Conditions on an incident; a condition that is absent matches all. */
export const notificationRulesSchema = z.strictObject({
  kind: oneOrMore(z.enum(['loop', 'limit', 'outage'])).optional(),
  detector: oneOrMore(z.enum(detectorIds)).optional(),
  action: oneOrMore(z.enum(['warn', 'chance', 'block'])).optional(),
  agent: oneOrMore(text).optional(),
  model: oneOrMore(text).optional(),
  tool: oneOrMore(text).optional(),
  min_usd: z.number().nonnegative().optional(),
  min_tokens: z.number().nonnegative().optional(),
});

const common = {
  name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'must be 1 to 64 of A-Z a-z 0-9 . _ -'),
  when: notificationRulesSchema.prefault({}),
  max_age: z
    .number()
    .positive()
    .nullable()
    .default(3_600)
    .describe(
      'Age of the latest event, seconds, up to which an incident is new; null: history is sent, too.',
    ),
};
const reported = {
  weekly_report: z
    .string()
    .regex(
      /^(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday) (?:[01]\d|2[0-3]):[0-5]\d$/,
      'must be a day and a time, such as monday 08:00',
    )
    .optional()
    .describe('Day and time, UTC, at which a report of the week before is sent; absent: none.'),
};
const limited = { max_per_minute: z.int().min(1).max(1_000).default(10) };

/** A secret: its value, or the environment variable or file that contains it. */
const secret = <K extends string, T extends z.ZodType>(key: K, schema: T) =>
  ({
    [key]: schema.optional(),
    [`${key}_env`]: text.optional(),
    [`${key}_file`]: text.optional(),
  }) as {
    [P in K]: z.ZodOptional<T>;
  } & { [P in `${K}_env` | `${K}_file`]: z.ZodOptional<typeof text> };

const webhookSchema = z.strictObject({
  ...common,
  type: z.literal('webhook'),
  ...secret('url', httpUrl),
  ...secret('secret', text),
  ...limited,
  ...reported,
});

const slackSchema = z.strictObject({
  ...common,
  type: z.literal('slack'),
  ...secret('url', httpUrl),
  ...secret('token', text),
  channel: text.optional(),
  api_url: httpUrl.default('https://slack.com/api'),
  ...limited,
  ...reported,
});

const teamsSchema = z.strictObject({
  ...common,
  type: z.literal('teams'),
  ...secret('url', httpUrl),
  ...limited,
  ...reported,
});

const discordSchema = z.strictObject({
  ...common,
  type: z.literal('discord'),
  ...secret('url', httpUrl),
  ...limited,
  ...reported,
});

const emailSchema = z.strictObject({
  ...common,
  type: z.literal('email'),
  host: z.union([hostName, z.ipv4(), z.ipv6()], { error: 'must be a host name or an IP address' }),
  port: z.int().min(1).max(65_535).default(587),
  encryption: z
    .enum(['starttls', 'tls', 'none'])
    .default('starttls')
    .describe('starttls: required after connecting. tls: from the start, usually at port 465.'),
  user: text.optional(),
  ...secret('password', text),
  from: z.email(),
  to: oneOrMore(z.email()),
  ...limited,
  ...reported,
});

const pagerdutySchema = z.strictObject({
  ...common,
  type: z.literal('pagerduty'),
  ...secret('routing_key', text),
  api_url: httpUrl.default('https://events.pagerduty.com/v2/enqueue'),
  ...limited,
});

const langfuseSchema = z.strictObject({
  ...common,
  type: z.literal('langfuse'),
  base_url: httpUrl.default('https://cloud.langfuse.com'),
  public_key: text,
  ...secret('secret_key', text),
  score: text.default('loop'),
});

const otlpSchema = z.strictObject({
  ...common,
  type: z.literal('otlp'),
  endpoint: httpUrl.default('http://localhost:4318'),
  ...secret('headers', z.record(text, z.string())),
});

/** Secrets by type. Exactly one secret of each group must be set; at most one if the group is optional. */
const secretGroups: Readonly<
  Record<
    NotificationType,
    readonly { readonly keys: readonly NotificationSecret[]; readonly optional?: true }[]
  >
> = {
  webhook: [{ keys: ['url'] }, { keys: ['secret'] }],
  slack: [{ keys: ['url', 'token'] }],
  teams: [{ keys: ['url'] }],
  discord: [{ keys: ['url'] }],
  email: [{ keys: ['password'], optional: true }],
  pagerduty: [{ keys: ['routing_key'] }],
  langfuse: [{ keys: ['secret_key'] }],
  otlp: [{ keys: ['headers'], optional: true }],
};

/** @param sourcesOf the keys that can provide a secret */
const entrySchema = (sourcesOf: (key: string) => readonly string[]) =>
  z
    .discriminatedUnion(
      'type',
      [
        webhookSchema,
        slackSchema,
        teamsSchema,
        discordSchema,
        emailSchema,
        pagerdutySchema,
        langfuseSchema,
        otlpSchema,
      ],
      { error: `must be one of ${notificationTypes.join(', ')}` },
    )
    .superRefine((entry, context) => {
      const reject = (message: string, path: string[] = []) =>
        context.addIssue({ code: 'custom', path, message });
      for (const { keys, optional } of secretGroups[entry.type]) {
        const set = setKeysOf(entry, keys);
        const known = keys.flatMap(sourcesOf);
        if (set.length > 1) reject(`can have only one of ${set.join(', ')}`);
        else if (set.length > 0 || optional === true) continue;
        else if (known.length > 1) reject(`needs one of ${known.join(', ')}`);
        else reject('is required', known);
      }
      if (entry.type === 'email' && setKeysOf(entry, ['password']).length > 0) {
        if (entry.user === undefined) reject('is required with a password', ['user']);
        if (entry.encryption === 'none') reject('must not be none with a password', ['encryption']);
      }
      if (entry.type !== 'slack' || entry.channel !== undefined) return;
      const set = setKeysOf(entry, ['url', 'token']);
      if (set.length === 1 && set[0]?.startsWith('token') === true)
        reject('is required with a bot token', ['channel']);
    });

export const notificationSchema = entrySchema(sourcesOf);
/** An entry whose secrets are literal values, as those that are set up on the page. */
export const literalNotificationSchema = entrySchema((key) => [key]);

export const notificationsSchema = z.array(notificationSchema).superRefine((entries, context) => {
  const seen = new Set<string>();
  for (const [at, { name }] of entries.entries()) {
    if (seen.has(name))
      context.addIssue({ code: 'custom', path: [at, 'name'], message: `is used twice: ${name}` });
    seen.add(name);
  }
});

export type NotificationSettings = z.infer<typeof notificationSchema>;
export type NotificationRules = z.infer<typeof notificationRulesSchema>;

/** The keys that contain secrets. The URL of a webhook is one: anyone who knows it can post there. */
const secretKeys = ['url', 'secret', 'token', 'routing_key', 'secret_key', 'headers', 'password'] as const;
export type NotificationSecret = (typeof secretKeys)[number];

/** The secret keys that an entry uses. */
export function notificationSecrets(entry: Readonly<Record<string, unknown>>): NotificationSecret[] {
  return secretKeys.filter((key) => sourcesOf(key).some((name) => name in entry));
}

/** The key, if any, that reads a secret from the environment or a file. */
export function indirectSecret(entry: Readonly<Record<string, unknown>>): string | undefined {
  return secretKeys.flatMap((key) => sourcesOf(key).slice(1)).find((source) => entry[source] !== undefined);
}

/** A copy of an entry with its secrets hidden. */
export function withoutSecrets<T extends object>(entry: T): T {
  const shown = Object.entries(entry).map(([key, value]: [string, unknown]) => [
    key,
    (secretKeys as readonly string[]).includes(key) && value !== undefined ? hiddenValue : value,
  ]);
  return Object.fromEntries(shown) as T;
}

/** The keys that can provide a secret: its value, an environment variable or a file. */
function sourcesOf(key: string): string[] {
  return [key, `${key}_env`, `${key}_file`];
}

function setKeysOf(entry: Readonly<Record<string, unknown>>, keys: readonly string[]): string[] {
  return keys.flatMap(sourcesOf).filter((source) => entry[source] !== undefined);
}
