import * as z from 'zod';
import { formatNames } from '../events/format-names.ts';
import { formatHeader } from '../events/headers.ts';

/** The role of each topic. A topic's name is the configured prefix and its role, unless it is configured itself. */
export const topicRoles = [
  'events',
  'verdicts',
  'sessions',
  'control',
  'checks',
  'dead-letters',
  'state',
  'triage',
] as const;
export type TopicRole = (typeof topicRoles)[number];
export type TopicNames = Readonly<Record<TopicRole, string>>;

export const defaultTopicPrefix = 'loopwatch.';

const topicName = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,249}$/, 'must be 1 to 249 of the characters A-Z a-z 0-9 . _ -');

/** As Kafka checks it, beyond the characters. */
function isTopicName(name: string): boolean {
  return name.length <= 249 && name !== '.' && name !== '..';
}

export const topicSettingsSchema = z
  .strictObject({
    prefix: z.union([z.literal(''), topicName]).default(defaultTopicPrefix),
    events: topicName.optional(),
    verdicts: topicName.optional(),
    sessions: topicName.optional(),
    control: topicName.optional(),
    checks: topicName.optional(),
    'dead-letters': topicName.optional(),
    state: topicName.optional(),
    triage: topicName.optional(),
  })
  .superRefine((topics, context) => {
    const names = Object.entries(topicNames(topics));
    for (const [index, [role, name]] of names.entries()) {
      const other = names.slice(0, index).find((each) => each[1] === name)?.[0];
      const path = [role];
      if (other !== undefined)
        context.addIssue({
          code: 'custom',
          path,
          message: `must differ from kafka.topics.${other}, which is ${name} too`,
        });
      else if (!isTopicName(name))
        context.addIssue({
          code: 'custom',
          path,
          message: `cannot be ${name}: Kafka allows 249 characters, and not only dots`,
        });
    }
  });

/** Topics of other producers, by name; workers convert their records to events. */
export const sourceSettingsSchema = z.record(
  topicName,
  z.strictObject({
    format: z.enum(['auto', ...formatNames]).default('auto'),
    format_header: z.string().min(1).default(formatHeader),
  }),
);
export type SourceSettings = z.infer<typeof sourceSettingsSchema>[string];

/** The full name of every topic. */
export function topicNames(settings: z.infer<typeof topicSettingsSchema>): TopicNames {
  const names = topicRoles.map((role) => [role, settings[role] ?? settings.prefix + role] as const);
  return Object.fromEntries(names) as Record<TopicRole, string>;
}
