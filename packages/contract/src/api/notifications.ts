import * as z from 'zod';
import { notificationRulesSchema, notificationTypes } from '../settings/notification-settings.ts';

/* `/notifications`: the receivers of notifications and their delivery status, without secrets. */

const count = z.int().nonnegative();
const time = z.number().nullable();

export const notificationStatusSchema = z.object({
  name: z.string(),
  type: z.enum(notificationTypes),
  origin: z
    .enum(['configuration', 'page'])
    .describe('Where the receiver was set up; only those set up on the page can be edited there.'),
  entry: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('Settings of a receiver that was set up on the page, secrets hidden.'),
  target: z.string().describe('Host, Slack channel or addresses that messages are sent to.'),
  when: notificationRulesSchema.describe('Conditions on the incident; an absent condition matches all.'),
  maxPerMinute: count
    .nullable()
    .describe('Maximum initial messages per minute; further ones are sent as a digest. null: no limit.'),
  sent: count.describe('Messages delivered so far.'),
  failed: count.describe('Messages that were refused, or expired: not delivered within a day.'),
  waiting: count.describe('Messages waiting to be delivered.'),
  lastSentAt: time.describe('Wall clock of the latest delivery, epoch ms.'),
  failingSince: time.describe('Start of the current failures; null if the latest message was delivered.'),
  error: z.string().nullable().describe('Why the latest attempt failed.'),
});

export const notificationsSchema = z.object({ items: z.array(notificationStatusSchema) });

/** Body of `PUT /notifications/:name`: an entry of the `notifications` setting. */
export const notificationPutSchema = z.looseObject({ type: z.enum(notificationTypes) });

/** Response of `POST /notifications/:name/test`. */
export const notificationTestSchema = z.object({ delivered: z.literal(true) });

export type NotificationStatus = z.infer<typeof notificationStatusSchema>;
export type NotificationPut = z.infer<typeof notificationPutSchema>;
export type NotificationTest = z.infer<typeof notificationTestSchema>;
