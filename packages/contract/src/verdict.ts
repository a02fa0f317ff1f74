import { z } from 'zod';

/** What Loopwatch concludes, version 1. One verdict is one change in the life of an incident. */

export const detectorIds = [
  'tool-repeat',
  'tool-cycle',
  'stagnation',
  'content-repeat',
  'thought-repeat',
  'semantic',
  'tool-limit',
  'turn-limit',
  'outage',
] as const;

export const verdictPhases = ['opened', 'escalated', 'resolved'] as const;
export const verdictActions = ['warn', 'chance', 'block', 'none'] as const;
export const verdictOutcomes = ['recovered', 'ended', 'disabled'] as const;

export const costSchema = z
  .object({
    calls: z.int().nonnegative(),
    turns: z.int().nonnegative(),
    characters: z.int().nonnegative().describe('UTF-16 code units of answer and reasoning.'),
    tokens: z.number().nonnegative().nullable().describe('null where the producer reports no usage.'),
    ms: z.number().describe('Event time since the loop began, not since it was noticed.'),
  })
  .describe('What the loop has used since it began.');

export const verdictSchema = z.object({
  v: z.literal(1),
  id: z.string().describe('The same for the same stream, in every run.'),
  incidentId: z.string(),
  phase: z.enum(verdictPhases),
  kind: z.enum(['loop', 'limit', 'outage']),
  detector: z.enum(detectorIds),
  action: z.enum(verdictActions),
  outcome: z.enum(verdictOutcomes).optional().describe('Of a resolved incident.'),
  sessionId: z.string(),
  promptId: z.string().nullable(),
  eventId: z.string(),
  eventIndex: z.int().nonnegative().describe('Index of the event in its session, from 0.'),
  time: z.number().describe('Event time, epoch ms.'),
  detectedAt: z.number().optional().describe('Wall clock, epoch ms; differs between runs.'),
  count: z.int().nonnegative(),
  threshold: z.number(),
  windowMs: z.number().nullable(),
  period: z.int().positive().describe('Steps of the cycle; 1 for plain repetition.'),
  confidence: z.number().min(0).max(1),
  tool: z.object({ name: z.string(), signature: z.string() }).nullable(),
  reason: z.string().describe('A sentence a person understands.'),
  guidance: z.string().optional().describe('What to tell the model, where the action asks for it.'),
  evidence: z.record(z.string(), z.unknown()).describe('Per detector, at most 32 KiB, secrets masked.'),
  cost: costSchema,
  source: z
    .object({ topic: z.string(), partition: z.int(), firstOffset: z.string(), offset: z.string() })
    .optional()
    .describe('Where the events lie in the log; differs between runs.'),
  model: z.string().nullable(),
  backend: z.string().nullable(),
  agent: z.string().nullable(),
  tenant: z.string().nullable(),
  preset: z.string(),
  configHash: z.string(),
});

export type Verdict = z.infer<typeof verdictSchema>;
export type Cost = z.infer<typeof costSchema>;
export type DetectorId = (typeof detectorIds)[number];
export type VerdictPhase = (typeof verdictPhases)[number];
export type VerdictAction = (typeof verdictActions)[number];
export type VerdictOutcome = (typeof verdictOutcomes)[number];
