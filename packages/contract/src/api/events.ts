import * as z from 'zod';
import { eventRefusals } from '../events/error-codes.ts';
import { nameSchema } from '../events/event.ts';
import { formatNames } from '../events/format-names.ts';

/* `POST /events`: events of producers without Kafka. */

export const postedEventsQuerySchema = z.strictObject({
  format: z
    .enum(['auto', ...formatNames])
    .optional()
    .describe(
      'Format of the records. auto, the default: detected from each record, then from the previous ones.',
    ),
  session: nameSchema.min(1).optional().describe('Session id of records whose format has none.'),
});

const count = z.int().nonnegative();
const codes = Object.keys(eventRefusals) as [keyof typeof eventRefusals];

/** The response; also part of the problem details if not all events could be accepted. */
export const postedEventsSchema = z.object({
  accepted: count.describe('Events written to the log.'),
  duplicates: count.describe('Accepted events whose id this server had accepted for the session before.'),
  ignored: z
    .record(z.string(), count)
    .describe('Records that are irrelevant to loops, by type; includes events of unknown types.'),
  rejected: z
    .array(
      z.object({
        line: z.int().positive().describe('Line of the body, or position in an array, from 1.'),
        code: z.enum(codes),
        detail: z.string(),
      }),
    )
    .describe('Invalid records, which were not written to the log; the first 100.'),
  rejectedTotal: count.optional().describe('Number of rejected records, if not all are listed.'),
});

export type PostedEvents = z.infer<typeof postedEventsSchema>;
