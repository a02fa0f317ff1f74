import { z } from 'zod';
import { sessionStates } from '../verdicts/activity.ts';
import { sessionSummarySchema } from '../verdicts/session-summary.ts';
import { incidentItemSchema, tagFilterSchema } from './incidents.ts';
import { pageSchema } from './paging.ts';

/** `/sessions`, `/sessions/:id`, `/sessions/:id/events`, `/sessions/:id/records/:offset`, `/sessions/:id/messages`. */

const { incidents } = sessionSummarySchema.shape;

export const sessionItemSchema = sessionSummarySchema
  .omit({ v: true, status: true, openIncidents: true })
  .extend({
    state: z
      .enum(sessionStates)
      .describe(
        'quiet: no event for a minute. ended: by its own event. idle: quiet for so long that it was freed; its next event restarts it.',
      ),
    incidents: incidents.extend({
      open: incidents.shape.open.describe('Going on now: the session is live.'),
      quiet: incidents.shape.open.describe('Neither resolved nor open, since the session has gone quiet.'),
    }),
    lastActivityAt: z.number().describe('Wall clock at which its latest event was processed, epoch ms.'),
    updatedAt: z.number().describe('Wall clock of the latest summary, epoch ms.'),
    sample: z.literal(true).optional().describe('Present where the server plays it as a sample.'),
  });

const texts = z.array(z.string().min(1).max(1024)).max(50);

export const sessionFilterSchema = z
  .strictObject({
    q: z.string().min(1).max(200).describe('Text in session id, agent, model or tenant; case ignored.'),
    state: z.array(z.enum(sessionStates)),
    incidents: z.enum(['open', 'any', 'none']).describe('Sessions with open incidents, with any, without.'),
    tool: texts.describe('Sessions with an incident about one of these tools.'),
    model: texts,
    backend: texts,
    agent: texts,
    tenant: texts,
    agentVersion: texts,
    tag: tagFilterSchema,
    from: z.number().describe('Latest event at or after this time: epoch ms, or RFC 3339.'),
    to: z.number().describe('Latest event before this time.'),
  })
  .partial();

export const sessionSorts = [
  'lastEventAt',
  'startedAt',
  'events',
  'turns',
  'toolCalls',
  'characters',
  'tokens',
  'usd',
  'incidents',
] as const;
export type SessionSort = (typeof sessionSorts)[number];

export const sessionPageSchema = pageSchema(sessionItemSchema);

/** `GET /sessions/:id`. */
export const sessionDetailSchema = sessionItemSchema.extend({
  incidentItems: z.array(incidentItemSchema).describe('Its incidents, newest first, at most 200.'),
  settings: z
    .record(z.string(), z.unknown())
    .describe('Its own settings by dotted path, as set over the API; {enabled: false} is the off switch.'),
});

/** One event of a session as it lies in the log. */
export const sessionEventSchema = z.object({
  offset: z.string(),
  timestamp: z.number().describe('Of the record, epoch ms.'),
  eventIndex: z
    .int()
    .nonnegative()
    .nullable()
    .describe('As verdicts count; null of duplicates and of records that could not be read.'),
  duplicate: z.boolean(),
  event: z.looseObject({ type: z.string() }).nullable().describe('null: the record could not be read.'),
  error: z.string().nullable().describe('Why it could not be read.'),
});

/** `GET /sessions/:id/events`: read back from the log, so only as far as the log still reaches. */
export const sessionEventsSchema = z.object({
  items: z.array(sessionEventSchema).describe('In the order of the log, whichever way they were read.'),
  before: z.string().nullable().describe('Cursor for `before`: the events before these; null at the start.'),
  after: z
    .string()
    .nullable()
    .describe(
      'Cursor for `after`: the events behind these; null at the end of a session that has ended or is idle.',
    ),
  total: z.int().nonnegative().describe('Events of the session, duplicates left out.'),
  source: sessionSummarySchema.shape.source,
  gone: z.boolean().describe('Its first events are no longer in the log.'),
  scanned: z.int().nonnegative().describe('Records that were read to find these.'),
  complete: z
    .boolean()
    .describe(
      'false: reading ended at its bound of records before the page was full; go on with the cursor.',
    ),
});

/** Query of `GET /sessions/:id/events`; without any, the first events. At most one of the first four. */
export const sessionEventsQuerySchema = z
  .strictObject({
    after: z.string().max(4096).describe('The `after` of an earlier answer.'),
    before: z.string().max(4096).describe('The `before` of an earlier answer.'),
    end: z.boolean().describe('true: the latest events.'),
    around: z
      .string()
      .min(1)
      .max(200)
      .describe('The id of an incident of the session: events around its last one.'),
    limit: z.int().min(1).max(1000).describe('Events a page, 1 to 1000, default 200.'),
  })
  .partial();

/** `GET /sessions/:id/records/:offset`: one record of a session as it lies in the log, whether it can be read or not. */
export const sessionRecordSchema = z.object({
  topic: z.string(),
  partition: z.int().nonnegative(),
  offset: z.string(),
  timestamp: z.number().describe('Of the record, epoch ms.'),
  key: z.string().nullable(),
  headers: z.record(z.string(), z.string()).describe('Their bytes as UTF-8.'),
  value: z.string().nullable().describe('Its bytes as UTF-8; null: there is none.'),
  bytes: z.int().nonnegative().describe('How long the value is.'),
});

/** A message of a conversation, as the gateway has stored it. */
export const sessionMessageSchema = z.object({
  number: z.int().positive().describe('Grows from message to message.'),
  at: z.number().describe('Wall clock of the gateway, epoch ms.'),
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  text: z.string().nullable().describe('null: it was not to be stored, or there is none.'),
  thought: z.string().nullable(),
  calls: z.array(
    z.object({
      id: z.string().nullable(),
      name: z.string(),
      arguments: z.string().nullable().describe('null: they were not to be stored.'),
    }),
  ),
  callId: z.string().nullable().describe("Of the call that a tool's result belongs to."),
  isError: z.boolean(),
  finishReason: z.string().nullable(),
  model: z.string().nullable(),
  byGateway: z.boolean().describe('Said by the gateway, not by the model.'),
});

/** `GET /sessions/:id/messages`: in their order; none of sessions that did not come by a gateway that stores them. */
export const sessionMessagesSchema = pageSchema(sessionMessageSchema);

export type SessionMessage = z.infer<typeof sessionMessageSchema>;
export type SessionMessages = z.infer<typeof sessionMessagesSchema>;
export type SessionItem = z.infer<typeof sessionItemSchema>;
export type SessionDetail = z.infer<typeof sessionDetailSchema>;
export type SessionFilter = z.infer<typeof sessionFilterSchema>;
export type SessionPage = z.infer<typeof sessionPageSchema>;
export type SessionEvent = z.infer<typeof sessionEventSchema>;
export type SessionEvents = z.infer<typeof sessionEventsSchema>;
export type SessionRecord = z.infer<typeof sessionRecordSchema>;
export type SessionEventsQuery = z.infer<typeof sessionEventsQuerySchema>;
