import * as z from 'zod';
import { incidentStates } from './activity.ts';
import { detectorIds } from './detectors.ts';
import {
  beginningSchema,
  costSchema,
  thresholdOriginSchema,
  verdictActions,
  verdictOutcomes,
  verdictPhases,
  verdictSchema,
  wasteSchema,
} from './verdict.ts';

/*
 * Incidents, each aggregated from its verdicts, and the messages of the Socket.IO namespace `/live`. Lists contain rows;
 * evidence and history are part of a single incident.
 */

const { source: sourceSchema, tool: toolSchema } = verdictSchema.shape;

/** A verdict of an incident, without the fields of the incident itself. */
export const incidentStepSchema = z.object({
  id: z.string(),
  phase: z.enum(verdictPhases),
  action: z.enum(verdictActions),
  count: z.int().nonnegative(),
  time: z.number().describe('Event time, epoch ms.'),
  detectedAt: z.number().describe('Wall clock, epoch ms.'),
  eventIndex: z.int().nonnegative(),
});

/** An incident in a list. */
export const incidentRowSchema = z.object({
  id: z.string(),
  detector: z.enum(detectorIds),
  kind: z.enum(['loop', 'limit', 'outage']),
  state: z
    .enum(incidentStates)
    .describe('quiet: its session has sent no event for a minute; the next event opens it again.'),
  outcome: z.enum(verdictOutcomes).nullable().describe('How it ended; null while it is open.'),
  sessionId: z.string(),
  promptId: z.string().nullable(),
  agent: z.string().nullable(),
  model: z.string().nullable(),
  backend: z.string().nullable(),
  tenant: z.string().nullable(),
  agentVersion: verdictSchema.shape.agentVersion,
  tags: verdictSchema.shape.tags,
  tool: toolSchema,
  callKey: verdictSchema.shape.callKey,
  detectedAt: z
    .number()
    .describe(
      'Event time at which the loop was detected, epoch ms; the wall clock if the event has a wrong time. The sort key of lists.',
    ),
  openedAt: z
    .number()
    .describe('Event time of the first verdict, epoch ms; as for `detectedAt`, never that of a wrong clock.'),
  lastAt: z.number().describe('Event time of the latest verdict, epoch ms; likewise.'),
  lastIndex: z.int().nonnegative().optional().describe('Index in the session of the event of `lastAt`.'),
  lastActivityAt: z
    .number()
    .describe(
      'When its session was last active, epoch ms: when its latest event was processed, or its event time if it was history by then. Of a resolved incident: when it was resolved.',
    ),
  resolvedAt: z.number().nullable().describe('Event time, epoch ms; likewise.'),
  count: z.int().nonnegative(),
  threshold: z.number(),
  windowMs: z.number().nullable(),
  period: z.int().positive(),
  confidence: z.number(),
  action: z.enum(verdictActions).describe('The strongest action so far.'),
  title: z
    .string()
    .describe('What repeats and how, in a few words without arguments, with the current count.'),
  arguments: z
    .string()
    .nullable()
    .describe(
      'Arguments of the repeated call: masked and truncated; null if the loop does not repeat one call.',
    ),
  reason: z.string().describe('What repeats and how, in a sentence, with the current count.'),
  countAt: verdictSchema.shape.countAt,
  began: beginningSchema.optional(),
  cost: costSchema,
  wasted: wasteSchema.optional(),
  revision: z.int().positive().describe('Increases with each verdict of the incident.'),
  source: sourceSchema.unwrap().nullable().describe('Offsets of the events in the log.'),
});

export const incidentSchema = incidentRowSchema.extend({
  thresholdOrigin: thresholdOriginSchema.optional(),
  resolution: z.string().nullable().describe('How it ended, in a sentence.'),
  guidance: z.string().nullable().describe('The latest guidance for the model.'),
  evidence: verdictSchema.shape.evidence,
  verdicts: z
    .array(incidentStepSchema)
    .describe('Oldest first; only the first and the latest ones if there are many.'),
  preset: z.string(),
  configHash: z.string(),
});

export const incidentStatsSchema = z.object({
  open: z.int().nonnegative().describe('Excludes quiet and muted incidents and false positives.'),
  quiet: z.int().nonnegative(),
  openByDetector: z.partialRecord(z.enum(detectorIds), z.int().positive()),
  found: z.int().nonnegative().describe('Incidents in the verdict log, including those no longer stored.'),
  foundSince: z.number().nullable().describe('When the oldest of these incidents was detected, epoch ms.'),
  foundPerMinute: z.array(z.int().nonnegative()).describe('The last 60 minutes, oldest first.'),
  resolved: z.object({
    recovered: z.int().nonnegative(),
    ended: z.int().nonnegative(),
    disabled: z.int().nonnegative(),
  }),
  calls: z.int().nonnegative().describe('Tool calls in loops.'),
  tokens: z.number().nonnegative().nullable().describe('Tokens in loops; null if no producer reports usage.'),
  usd: z
    .number()
    .nonnegative()
    .nullable()
    .describe('US dollars of loops with a known price; null if there are none.'),
  unpriced: z.int().nonnegative().describe('Loops with tokens of unknown price; usd excludes them.'),
  latency: z
    .object({ p50Ms: z.number(), incidents: z.int().positive() })
    .nullable()
    .describe('From event time to detection, over the stored incidents; null if the events are recordings.'),
  kept: z.int().nonnegative(),
  dropped: z.int().nonnegative().describe('Incidents no longer stored, to limit memory.'),
});

export const serverInfoSchema = z.object({
  version: z.string(),
  preset: z.string(),
  configHash: z.string(),
});

export const liveSnapshotSchema = z.object({
  incidents: z.array(incidentRowSchema).describe('The latest incidents, newest first.'),
  stats: incidentStatsSchema,
  info: serverInfoSchema,
});

export const liveIncidentsSchema = z.object({
  incidents: z.array(incidentRowSchema).describe('Incidents that changed since the previous message.'),
  stats: incidentStatsSchema,
});

export const readToSchema = z
  .number()
  .nullable()
  .describe(
    'While records are waiting to be analyzed or stored: when the latest one that was had been written, epoch ms, so that everything later is missing. null: nothing is waiting.',
  );

export const liveHeartbeatSchema = z.object({
  serverTime: z.number(),
  lag: z.number().nullable().describe('Verdicts not read yet; null before the first one is read.'),
  readTo: readToSchema,
  lastEventAt: z.number().nullable().describe('Wall clock of the latest agent event; null if none is known.'),
  lastVerdictAt: z.number().nullable().describe('Wall clock of the latest verdict in the log.'),
});

export type Incident = z.infer<typeof incidentSchema>;
export type IncidentRow = z.infer<typeof incidentRowSchema>;
export type IncidentStep = z.infer<typeof incidentStepSchema>;
export type IncidentStats = z.infer<typeof incidentStatsSchema>;
export type ServerInfo = z.infer<typeof serverInfoSchema>;
export type LiveSnapshot = z.infer<typeof liveSnapshotSchema>;
export type LiveIncidents = z.infer<typeof liveIncidentsSchema>;
export type LiveHeartbeat = z.infer<typeof liveHeartbeatSchema>;
