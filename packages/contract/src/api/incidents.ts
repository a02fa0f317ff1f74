import * as z from 'zod';
import { incidentStates } from '../verdicts/activity.ts';
import { detectorIds } from '../verdicts/detectors.ts';
import { incidentRowSchema, incidentSchema } from '../verdicts/live.ts';
import { sessionSummarySchema } from '../verdicts/session-summary.ts';
import { costSchema, verdictActions, verdictSchema } from '../verdicts/verdict.ts';
import { muteSchema } from './mutes.ts';
import { pageSchema } from './paging.ts';
import { triageChangeSchema, triageManySchema, triageSchema, triageStatuses } from './triage.ts';

/* `/incidents`, `/incidents/:id`, `/incidents/:id/remedies`, `/incident-groups`, `/verdicts`. */

/** An incident in lists and live messages. */
export const incidentItemSchema = incidentRowSchema.extend({
  groupKey: z.string().describe('Equal for identical loops: same detector, calls or text, agent and model.'),
  triage: triageSchema,
  mute: muteSchema.optional().describe('The mute rule that applies to it.'),
  sample: z.literal(true).optional().describe('Present for incidents of sample sessions.'),
  sessionStopped: z
    .literal(true)
    .optional()
    .describe('Present while a stop by a person or a budget applies to its session.'),
  sessionTitle: sessionSummarySchema.shape.title,
});

/** `GET /incidents/:id`. */
export const incidentDetailSchema = incidentSchema.extend({
  groupKey: incidentItemSchema.shape.groupKey,
  triage: triageSchema,
  mute: incidentItemSchema.shape.mute,
  triageHistory: z.array(triageChangeSchema).describe('The latest 50, oldest first.'),
  sessionTitle: incidentItemSchema.shape.sessionTitle,
  sessionStopped: incidentItemSchema.shape.sessionStopped,
  firstEventIndex: z.int().nonnegative().describe('Index in the session of the event of the first verdict.'),
  lastEventIndex: z.int().nonnegative(),
});

const texts = z.array(z.string().min(1).max(1024)).max(50);
const time = z.number().describe('Epoch ms or RFC 3339.');

export const tagFilterSchema = z
  .array(
    z
      .string()
      .max(2049)
      .regex(/^[^:]+:/, 'must be name:value'),
  )
  .max(50)
  .describe('A tag of the session, as `name:value`.');

/** Filters of `GET /incidents` and `/incident-groups`. Lists are repeated parameters; any of their values matches. */
export const incidentFilterSchema = z
  .strictObject({
    q: z
      .string()
      .min(1)
      .max(200)
      .describe(
        "Text in reason, tool, id, session, agent, model or tenant, or in what the session's own `q` searches; case-insensitive.",
      ),
    detector: z.array(z.enum(detectorIds)).max(50),
    kind: z.array(z.enum(['loop', 'limit', 'outage'])),
    state: z.array(z.enum(incidentStates)),
    action: z.array(z.enum(verdictActions)),
    tool: texts.describe('Names of tools.'),
    sessionId: texts,
    model: texts,
    backend: texts,
    agent: texts,
    tenant: texts,
    agentVersion: texts,
    tag: tagFilterSchema,
    triage: z.array(z.enum(triageStatuses)).describe('An expired mute counts as new.'),
    assignee: z
      .array(z.string().max(200))
      .max(50)
      .describe('Names of assignees; an empty one means unassigned.'),
    group: texts.describe('Group keys.'),
    open: z
      .boolean()
      .describe('true: currently open, and neither muted nor a false positive. false: all others.'),
    from: time.describe('Detected at or after this time (`detectedAt`): epoch ms or RFC 3339.'),
    to: time.describe('Detected before this time.'),
  })
  .partial();

export const incidentSorts = [
  'detectedAt',
  'lastAt',
  'count',
  'calls',
  'tokens',
  'usd',
  'duration',
  'confidence',
] as const;
export type IncidentSort = (typeof incidentSorts)[number];

export const incidentPageSchema = pageSchema(incidentItemSchema);

/** Response of `PATCH /incidents`. */
export const triageResultSchema = z.object({
  items: z.array(incidentItemSchema).describe('The updated incidents.'),
  missing: z.array(z.string()).describe('Ids of incidents that do not exist.'),
});

/** Response of `PATCH /incident-groups/:key`. */
export const groupTriageResultSchema = z.object({
  incidents: z.int().positive().describe('Number of incidents in the group.'),
  undo: z.array(triageManySchema).describe('Bodies for `PATCH /incidents` that undo the change.'),
});

/** Incidents with the same group key. Title, arguments, reason, tool and labels are those of the latest one. */
export const incidentGroupSchema = z.object({
  key: z.string(),
  detector: z.enum(detectorIds),
  kind: z.enum(['loop', 'limit', 'outage']),
  tool: verdictSchema.shape.tool,
  agent: z.string().nullable(),
  model: z.string().nullable(),
  backend: z.string().nullable(),
  title: incidentSchema.shape.title,
  arguments: incidentSchema.shape.arguments,
  reason: z.string(),
  latestId: z.string(),
  occurrences: z.int().positive().describe('Incidents that match the filters.'),
  open: z.int().nonnegative(),
  quiet: z.int().nonnegative(),
  sessions: z.int().positive(),
  firstSeen: z.number().describe('Wall clock, epoch ms.'),
  lastSeen: z.number(),
  action: z.enum(verdictActions).describe('The strongest action.'),
  cost: costSchema
    .pick({ calls: true, turns: true, tokens: true, usd: true, ms: true })
    .describe('Total of the group.'),
  triage: z.object({
    new: z.int().nonnegative(),
    acknowledged: z.int().nonnegative(),
    muted: z.int().nonnegative(),
    false_positive: z.int().nonnegative(),
  }),
});

export const groupSorts = ['lastSeen', 'firstSeen', 'occurrences', 'calls', 'tokens', 'usd'] as const;
export type GroupSort = (typeof groupSorts)[number];

export const incidentGroupPageSchema = pageSchema(incidentGroupSchema);

/** A setting under which the incident would not have been reported. */
export const remedySchema = z.object({
  path: z.string().describe('Dotted path of the setting.'),
  value: z
    .unknown()
    .describe(
      'Value to set. For a map such as `per_tool`: the complete map, including the entries set for others.',
    ),
  text: z.string().describe('Description of the change.'),
  scopes: z
    .array(z.string())
    .min(1)
    .describe('Scopes in which the value takes effect for the session, widest first.'),
});

/** `GET /incidents/:id/remedies`. */
export const remediesSchema = z.object({ items: z.array(remedySchema) });

/** `GET /verdicts`, newest first. */
export const verdictFilterSchema = z
  .strictObject({
    phase: z.array(verdictSchema.shape.phase),
    detector: z.array(z.enum(detectorIds)).max(50),
    incidentId: texts,
    sessionId: texts,
    model: texts,
    agent: texts,
    from: time,
    to: time,
  })
  .partial();
export const verdictPageSchema = pageSchema(verdictSchema);

export type IncidentItem = z.infer<typeof incidentItemSchema>;
export type IncidentDetail = z.infer<typeof incidentDetailSchema>;
export type IncidentFilter = z.infer<typeof incidentFilterSchema>;
export type IncidentPage = z.infer<typeof incidentPageSchema>;
export type IncidentGroup = z.infer<typeof incidentGroupSchema>;
export type IncidentGroupPage = z.infer<typeof incidentGroupPageSchema>;
export type GroupTriageResult = z.infer<typeof groupTriageResultSchema>;
export type TriageResult = z.infer<typeof triageResultSchema>;
export type VerdictFilter = z.infer<typeof verdictFilterSchema>;
export type VerdictPage = z.infer<typeof verdictPageSchema>;
export type Remedy = z.infer<typeof remedySchema>;
export type Remedies = z.infer<typeof remediesSchema>;
