import { z } from 'zod';
import { eventRefusals } from '../events/error-codes.ts';
import { MAX_NAME_UNITS } from '../events/event.ts';
import { formatNames } from '../events/format-names.ts';

/** `POST /events`: events of producers without Kafka. */

export const postedEventsQuerySchema = z.strictObject({
  format: z
    .enum(['auto', ...formatNames])
    .optional()
    .describe(
      'How the records are written. auto, the default: told by each record, then by those before it.',
    ),
  session: z
    .string()
    .min(1)
    .max(MAX_NAME_UNITS)
    .optional()
    .describe('The session of records of a format that names none.'),
});

const count = z.int().nonnegative();
const codes = Object.keys(eventRefusals) as [keyof typeof eventRefusals];

/** Its answer; also within the problem where nothing, or not everything, could be taken. */
export const postedEventsSchema = z.object({
  accepted: count.describe('Events that are in the log.'),
  duplicates: count.describe('Those in the log whose id this server has taken for their session before.'),
  ignored: z
    .record(z.string(), count)
    .describe('What says nothing of loops, by type: events of unknown types, and records of other formats.'),
  rejected: z
    .array(
      z.object({
        line: z.int().positive().describe('Line of the body, or place in an array; from 1.'),
        code: z.enum(codes),
        detail: z.string(),
      }),
    )
    .describe('What is no event and is not in the log, the first 100.'),
  rejectedTotal: count.optional().describe('How many were rejected, where not all are listed.'),
});

export type PostedEvents = z.infer<typeof postedEventsSchema>;
