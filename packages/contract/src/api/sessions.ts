import * as z from 'zod';
import { sessionStates } from '../verdicts/activity.ts';
import { sessionSummarySchema } from '../verdicts/session-summary.ts';
import { incidentItemSchema, tagFilterSchema } from './incidents.ts';
import { pageSchema } from './paging.ts';

/* `/sessions`, `/sessions/:id`, `/sessions/:id/events`, `/sessions/:id/outline`, `/sessions/:id/records/:offset`, `/sessions/:id/messages`. */

const { incidents } = sessionSummarySchema.shape;

const sessionPartSchema = z
  .object({
    startedAt: z.number().describe('Event time of its first event, epoch ms.'),
    events: z.int().nonnegative(),
    source: sessionSummarySchema.shape.source,
    merged: z
      .literal(true)
      .optional()
      .describe('Present for several parts as one, in sessions with many; its events have no index.'),
  })
  .describe('The events between two long pauses.');

export const sessionItemSchema = sessionSummarySchema
  .omit({ v: true, status: true, openIncidents: true, promptText: true })
  .extend({
    state: z
      .enum(sessionStates)
      .describe(
        'quiet: no event for a minute. ended: by session_ended. idle: quiet for so long that its state was freed; the next event restarts the session.',
      ),
    incidents: incidents.extend({
      open: incidents.shape.open.describe('Open incidents: unresolved, and the session is live.'),
      quiet: incidents.shape.open.describe(
        'Quiet incidents: unresolved, but the session is not live, or they began before its latest long pause.',
      ),
      abandoned: incidents.shape.open
        .optional()
        .describe('Those before the latest long pause, which stay quiet; absent without such a pause.'),
    }),
    lastActivityAt: z
      .number()
      .describe(
        'When the latest event happened, epoch ms: the wall clock at which it was processed, or its own time if it was history by then.',
      ),
    updatedAt: z.number().describe('Wall clock of the latest summary, epoch ms.'),
    startedAt: z.number().describe('Event time of the first event, epoch ms.'),
    clockOffMs: z
      .number()
      .optional()
      .describe(
        "How far ahead the clock of the session's events is, negative if behind; its times are replaced by those of processing. Absent unless it is wrong.",
      ),
    parts: z
      .array(sessionPartSchema)
      .optional()
      .describe(
        'What lies between long pauses, oldest first. Detection and event indexes start over after each; all counts of the session include all parts, and `source` is that of the latest. Absent without such a pause.',
      ),
    sample: z.literal(true).optional().describe('Present for sample sessions.'),
    stopped: z
      .literal(true)
      .optional()
      .describe('Present while a stop by a person or a budget applies to the session.'),
  });

const texts = z.array(z.string().min(1).max(1024)).max(50);

export const sessionFilterSchema = z
  .strictObject({
    q: z
      .string()
      .min(1)
      .max(200)
      .describe(
        'Text in the prompts of a person (the first 300 characters of each, 1,000 of all), session id, project, branch, agent, model or tenant; case-insensitive.',
      ),
    state: z.array(z.enum(sessionStates)),
    incidents: z
      .enum(['open', 'any', 'none'])
      .describe('open: sessions with open incidents. any: with any incidents. none: without incidents.'),
    tool: texts.describe('Sessions with an incident about one of these tools.'),
    model: texts,
    backend: texts,
    agent: texts,
    tenant: texts,
    agentVersion: texts,
    tag: tagFilterSchema,
    parent: texts.describe('Sessions that started it.'),
    from: z.number().describe('Latest event at or after this time: epoch ms or RFC 3339.'),
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
  incidentItems: z.array(incidentItemSchema).describe('Incidents of the session, newest first, at most 200.'),
  settings: z
    .record(z.string(), z.unknown())
    .describe(
      'Settings of the session set by the API, by dotted path; {enabled: false} switches detection off.',
    ),
  subAgents: z.int().positive().optional().describe('Absent if there are none.'),
});

/** An event of a session as stored in the log. */
export const sessionEventSchema = z.object({
  offset: z.string(),
  timestamp: z.number().describe('Timestamp of the record, epoch ms.'),
  eventIndex: z
    .int()
    .nonnegative()
    .nullable()
    .describe('Index as in verdicts; null for duplicates and invalid records.'),
  duplicate: z.boolean(),
  event: z.looseObject({ type: z.string() }).nullable().describe('null if the record is invalid.'),
  error: z.string().nullable().describe('Why the record is invalid.'),
});

const partSchema = z
  .int()
  .nonnegative()
  .describe(
    'Offset of a record in the part to read. Default: the latest, or that of the incident or the cursor.',
  );

/** `GET /sessions/:id/events`: read from the log, so limited by its retention. */
export const sessionEventsSchema = z.object({
  items: z.array(sessionEventSchema).describe('In log order, whichever way they were read.'),
  before: z
    .string()
    .nullable()
    .describe('Cursor for the preceding events, to pass as `before`; null at the start.'),
  after: z
    .string()
    .nullable()
    .describe(
      'Cursor for the following events, to pass as `after`; null at the end of a session that has ended or is idle.',
    ),
  total: z.int().nonnegative().describe('Number of events in this part of the session, duplicates excluded.'),
  source: sessionSummarySchema.shape.source.describe('Offsets of this part of the session.'),
  gone: z.boolean().describe('true: the first events are no longer in the log.'),
  scanned: z.int().nonnegative().describe('Number of records read to find these.'),
  complete: z
    .boolean()
    .describe(
      'false: the limit of scanned records was reached before the page was full; continue with the cursor.',
    ),
});

/**
 * Query of `GET /sessions/:id/events`: at most one of the first five; the first events by default. A page is of one part of
 * the session between two long pauses.
 */
export const sessionEventsQuerySchema = z
  .strictObject({
    after: z.string().max(4096).describe('`after` of an earlier response.'),
    before: z.string().max(4096).describe('`before` of an earlier response.'),
    end: z.boolean().describe('true: the latest events.'),
    around: z
      .string()
      .min(1)
      .max(200)
      .describe('Id of an incident of the session: the events around the latest event of the incident.'),
    at: z.int().nonnegative().describe('The events around the event with this index.'),
    part: partSchema,
    limit: z.int().min(1).max(1000).describe('Events per page, 1 to 1000, default 200.'),
  })
  .partial();

/** `GET /sessions/:id/outline`: a whole part of a session, in at most 240 bins of equally many events. */
export const sessionOutlineSchema = z.object({
  events: z.int().nonnegative().describe('Number of events, duplicates excluded.'),
  bins: z.array(
    z.object({
      index: z.int().nonnegative().describe('Index of its first event.'),
      time: z.number().describe('Event time of that event, epoch ms.'),
      calls: z.int().nonnegative(),
      failed: z.int().nonnegative().describe('Results that are errors.'),
      tokens: z.number().nonnegative(),
      usd: z.number().nonnegative().describe('US dollars, as far as prices are known.'),
    }),
  ),
  unpriced: z.boolean().describe('true: some turns have no known price.'),
  complete: z
    .boolean()
    .describe('false: only the first events were read, because there are too many records.'),
  matches: z
    .array(
      z.object({
        index: z.int().nonnegative(),
        text: z.string().describe('What surrounds the match, masked.'),
      }),
    )
    .max(200)
    .describe('The first events that contain `q`.'),
});

export const sessionOutlineQuerySchema = z
  .strictObject({
    part: partSchema,
    q: z.string().min(1).max(200).describe('Text in what the events say, call and return; case-insensitive.'),
  })
  .partial();

/** `GET /sessions/:id/records/:offset`: a raw record of a session, valid or not. */
export const sessionRecordSchema = z.object({
  topic: z.string(),
  partition: z.int().nonnegative(),
  offset: z.string(),
  timestamp: z.number().describe('Timestamp of the record, epoch ms.'),
  key: z.string().nullable(),
  headers: z.record(z.string(), z.string()).describe('Header values, decoded as UTF-8.'),
  value: z.string().nullable().describe('Value, decoded as UTF-8; null: no value.'),
  bytes: z.int().nonnegative().describe('Size of the value.'),
});

/** A message of a conversation, as stored by the gateway. */
export const sessionMessageSchema = z.object({
  number: z.int().positive().describe('Increases with each message.'),
  at: z.number().describe('Wall clock of the gateway, epoch ms.'),
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  text: z.string().nullable().describe('null: none, or not stored (privacy.store_text is off).'),
  thought: z.string().nullable(),
  calls: z.array(
    z.object({
      id: z.string().nullable(),
      name: z.string(),
      arguments: z.string().nullable().describe('null: not stored (privacy.store_text is off).'),
    }),
  ),
  callId: z.string().nullable().describe('Id of the call that a tool result belongs to.'),
  isError: z.boolean(),
  finishReason: z.string().nullable(),
  model: z.string().nullable(),
  byGateway: z.boolean().describe('true: a synthetic response of the gateway, not written by the model.'),
});

/** `GET /sessions/:id/messages`: in order; empty for sessions that did not pass through a gateway that stores messages. */
export const sessionMessagesSchema = pageSchema(sessionMessageSchema);

export type SessionMessage = z.infer<typeof sessionMessageSchema>;
export type SessionMessages = z.infer<typeof sessionMessagesSchema>;
export type SessionItem = z.infer<typeof sessionItemSchema>;
export type SessionDetail = z.infer<typeof sessionDetailSchema>;
export type SessionPart = z.infer<typeof sessionPartSchema>;
export type SessionFilter = z.infer<typeof sessionFilterSchema>;
export type SessionPage = z.infer<typeof sessionPageSchema>;
export type SessionEvent = z.infer<typeof sessionEventSchema>;
export type SessionEvents = z.infer<typeof sessionEventsSchema>;
export type SessionOutline = z.infer<typeof sessionOutlineSchema>;
export type SessionRecord = z.infer<typeof sessionRecordSchema>;
export type SessionEventsQuery = z.infer<typeof sessionEventsQuerySchema>;

/* `DELETE /sessions` and `DELETE /sessions/:id`. */

const erasedName = z.string().min(1).max(2049);

/** Which sessions to erase: by tenant, or by tag. */
export const erasureQuerySchema = z
  .strictObject({
    tenant: erasedName.describe('Erases the sessions of this tenant.'),
    tag: erasedName
      .regex(/^[^:]+:/, 'must be name:value')
      .describe('Erases the sessions with this tag, as `name:value`.'),
  })
  .partial();
export type ErasureQuery = z.infer<typeof erasureQuerySchema>;

export const erasureSchema = z.object({
  sessions: z
    .int()
    .nonnegative()
    .describe(
      'Erased sessions, their sub-agents included: those of which the database or the embedded log held something.',
    ),
  incidents: z.int().nonnegative(),
  messages: z.int().nonnegative().describe('Messages of conversations, as stored by gateways.'),
  records: z
    .int()
    .nonnegative()
    .nullable()
    .describe('Records erased from the embedded log; null: the log is Kafka.'),
  remains: z
    .array(z.object({ where: z.string(), until: z.string() }))
    .describe('Copies that Loopwatch cannot erase at once, and until when they remain.'),
});
export type Erasure = z.infer<typeof erasureSchema>;
