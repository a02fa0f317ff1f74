import { z } from 'zod';
import { eventRefusals } from '../events/error-codes.ts';

/** `POST /events`: events of producers without Kafka. */

export const postedEventsQuerySchema = z.strictObject({
  format: z.enum(['canonical']).optional().describe('How the events are written; canonical by default.'),
});

const count = z.int().nonnegative();
const codes = Object.keys(eventRefusals) as [keyof typeof eventRefusals];

/** Its answer; also within the problem where nothing, or not everything, could be taken. */
export const postedEventsSchema = z.object({
  accepted: count.describe('Events that are in the log.'),
  duplicates: count.describe('Those in the log whose id this server has taken for their session before.'),
  ignored: z
    .record(z.string(), count)
    .describe('Those in the log whose type this version does not know, by type.'),
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
