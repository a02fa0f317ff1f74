import * as z from 'zod';
import { detectorIds } from './detectors.ts';
import { costSchema, evidenceRecordSchema, verdictSchema, wasteSchema } from './verdict.ts';

const count = z.int().nonnegative();

/** A summary lists at most this many open incidents; real agents have fewer. */
export const MAX_OPEN_INCIDENTS = 50;

const openIncidentSchema = z
  .object({
    id: z.string(),
    count,
    cost: costSchema,
    wasted: wasteSchema.optional(),
    latest: z
      .object({
        eventIndex: count.describe('Index in the session of the latest repetition.'),
        time: z.number().describe('Its event time, epoch ms.'),
        title: verdictSchema.shape.title,
        reason: z.string(),
        countAt: verdictSchema.shape.countAt,
        evidence: evidenceRecordSchema,
      })
      .optional()
      .describe('Present if the loop has gone on since its latest verdict, for the oldest open incidents.'),
  })
  .describe('Current state of an open incident, which can be newer than its latest verdict.');

/**
 * A record of the `sessions` topic: the state of a session at one of its events. Each record replaces the previous one of
 * the session; a tombstone marks the end of its retention.
 */
export const sessionSummarySchema = z.object({
  v: z.literal(1),
  sessionId: z.string(),
  status: z
    .enum(['live', 'ended'])
    .describe('ended: the latest event is session_ended, apart from control events.'),
  title: z
    .string()
    .max(200)
    .optional()
    .describe(
      'Its first prompt by a person, masked, on one line and cut at a word; absent without one, and if `privacy.store_text` is off.',
    ),
  promptText: z
    .string()
    .max(2_000)
    .optional()
    .describe('The beginnings of its prompts by a person, masked, one a line, to be searched.'),
  startedAt: z.number().describe('Event time of the first event, epoch ms; reset after a long pause.'),
  lastEventAt: z
    .number()
    .describe(
      'Event time of the latest event, epoch ms; control events do not count, because the agent does not send them.',
    ),
  events: count.describe('Number of events, duplicates excluded.'),
  unknown: count.optional().describe('Events of unknown types; absent if there are none.'),
  prompts: count,
  turns: count.describe('A retried turn counts once.'),
  toolCalls: count.describe('Tool calls of a retried turn count once.'),
  characters: count.describe('UTF-16 code units of response and reasoning.'),
  tokens: z
    .object({
      input: z.number().nonnegative(),
      output: z.number().nonnegative(),
      cached: z.number().nonnegative().optional().describe('Input tokens read from the cache.'),
    })
    .nullable()
    .describe('null if the producer reports no usage.'),
  usd: z
    .number()
    .nonnegative()
    .nullable()
    .optional()
    .describe('US dollars; null if no usage is reported or a model has no known price.'),
  model: z.string().nullable().describe('The latest value, as in the next three fields; null if unknown.'),
  backend: z.string().nullable(),
  agent: z.string().nullable(),
  tenant: z.string().nullable(),
  agentVersion: z.string().optional().describe('Absent if the producer sends none, like tags.'),
  tags: z.record(z.string(), z.string()).optional(),
  parentSessionId: z.string().optional().describe('The session that started this sub-agent or fork.'),
  incidents: z.object({
    open: count,
    total: count.describe('All incidents ever opened.'),
    byDetector: z.partialRecord(z.enum(detectorIds), count).describe('The total by detector.'),
  }),
  openIncidents: z.array(openIncidentSchema).max(MAX_OPEN_INCIDENTS).optional(),
  verdicts: count,
  progress: z
    .array(z.number())
    .max(32)
    .optional()
    .describe('Progress at up to 16 later summaries: alternately ms since the start and events so far.'),
  source: z
    .object({ topic: z.string(), partition: z.int(), firstOffset: z.string(), lastOffset: z.string() })
    .describe('Offsets of its events in the log; events of other sessions are in between.'),
  preset: z.string(),
  configHash: z.string().describe('Hash of the settings in effect for the session.'),
});

export type SessionSummary = z.infer<typeof sessionSummarySchema>;
export type OpenIncidentSummary = z.infer<typeof openIncidentSchema>;
