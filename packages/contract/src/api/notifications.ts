import { z } from 'zod';
import { notificationRulesSchema, notificationTypes } from '../settings/notification-settings.ts';

/** `/notifications`: where messages about incidents go, and how delivery stands. No secrets. */

const count = z.int().nonnegative();
const time = z.number().nullable();

export const notificationStatusSchema = z.object({
  name: z.string(),
  type: z.enum(notificationTypes),
  origin: z
    .enum(['configuration', 'page'])
    .describe('Where it was set up; one of the page can be changed there.'),
  entry: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('Of one of the page: what was set up, secrets hidden.'),
  target: z.string().describe('Host or channel that messages go to.'),
  when: notificationRulesSchema.describe('Which incidents; what is absent fits all.'),
  maxPerMinute: count
    .nullable()
    .describe('First messages a minute; the rest comes as a digest. null: no limit.'),
  sent: count.describe('Messages delivered so far.'),
  failed: count.describe('Messages that were refused, or not delivered within a day.'),
  waiting: count.describe('Messages not delivered yet.'),
  lastSentAt: time.describe('Wall clock of the latest delivery, epoch ms.'),
  failingSince: time.describe('Since when messages fail; null when the latest one was delivered.'),
  error: z.string().nullable().describe('Why the latest one failed.'),
});

export const notificationsSchema = z.object({ items: z.array(notificationStatusSchema) });

/** Body of `PUT /notifications/:name`: an entry as in the configuration. */
export const notificationPutSchema = z.looseObject({ type: z.enum(notificationTypes) });

/** Answer of `POST /notifications/:name/test`. */
export const notificationTestSchema = z.object({ delivered: z.literal(true) });

export type NotificationStatus = z.infer<typeof notificationStatusSchema>;
export type NotificationPut = z.infer<typeof notificationPutSchema>;
export type NotificationTest = z.infer<typeof notificationTestSchema>;
