import { z } from 'zod';
import { detectorIds } from './detectors.ts';
import { costSchema } from './verdict.ts';

/**
 * A record of the `sessions` topic: a session as it stood at one of its events. The next one of the same session takes
 * its place; a tombstone says that the session's time is over.
 */

const count = z.int().nonnegative();

/** Of more, a summary names the first: so many tools at a time are no agent's work. */
export const MAX_OPEN_INCIDENTS = 50;

const openIncidentSchema = z
  .object({
    id: z.string(),
    count,
    cost: costSchema,
  })
  .describe('An open incident as it stands, also between two of its verdicts.');

export const sessionSummarySchema = z.object({
  v: z.literal(1),
  sessionId: z.string(),
  status: z
    .enum(['live', 'ended'])
    .describe('ended: its latest event, control events aside, is session_ended.'),
  startedAt: z.number().describe('Event time of its first event, epoch ms; restarts after a long pause.'),
  lastEventAt: z
    .number()
    .describe('Event time of its latest event, epoch ms; control events, which come from outside, are none.'),
  events: count.describe('Duplicates left out.'),
  unknown: count
    .optional()
    .describe('Events of types that this version does not know; absent where there is none.'),
  prompts: count,
  turns: count.describe('One that was streamed again counts once.'),
  toolCalls: count.describe('Those of a turn that was streamed again count once.'),
  characters: count.describe('UTF-16 code units of answer and reasoning.'),
  tokens: z
    .object({
      input: z.number().nonnegative(),
      output: z.number().nonnegative(),
      cached: z.number().nonnegative().optional().describe('Those of the input that came from the cache.'),
    })
    .nullable()
    .describe('null where the producer reports no usage.'),
  usd: z
    .number()
    .nonnegative()
    .nullable()
    .optional()
    .describe('US dollars; null where no usage is reported, or the price of a model is not known.'),
  model: z.string().nullable().describe('This and the next three: as last reported; null when unknown.'),
  backend: z.string().nullable(),
  agent: z.string().nullable(),
  tenant: z.string().nullable(),
  agentVersion: z.string().optional().describe('Absent where the producer names none, as are tags.'),
  tags: z.record(z.string(), z.string()).optional(),
  incidents: z.object({
    open: count,
    total: count.describe('All that were ever opened.'),
    byDetector: z.partialRecord(z.enum(detectorIds), count).describe('The total, by detector.'),
  }),
  openIncidents: z.array(openIncidentSchema).max(MAX_OPEN_INCIDENTS).optional(),
  verdicts: count,
  course: z
    .array(z.number())
    .max(32)
    .optional()
    .describe(
      'How it went on, at up to 16 of its summaries behind the first: ms after the start, then events so far, in turn.',
    ),
  source: z
    .object({ topic: z.string(), partition: z.int(), firstOffset: z.string(), lastOffset: z.string() })
    .describe('Where its events lie in the log, those of other sessions between them.'),
  preset: z.string(),
  configHash: z.string().describe('Of the settings that hold for it now.'),
});

export type SessionSummary = z.infer<typeof sessionSummarySchema>;
export type OpenIncidentSummary = z.infer<typeof openIncidentSchema>;
