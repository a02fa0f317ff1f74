import { z } from 'zod';
import { detectorIds } from './detectors.ts';
import { evidenceRecordSchema } from './evidence-record.ts';

/** What Loopwatch concludes, version 1. One verdict is one change in the life of an incident. */

export const verdictPhases = ['opened', 'escalated', 'resolved'] as const;
export const verdictActions = ['warn', 'chance', 'block', 'none'] as const;
export const verdictOutcomes = ['recovered', 'ended', 'disabled'] as const;

/** Why a threshold is not the number that is set. */
export const thresholdAdjustments = [
  'same-result',
  'declared-poller',
  'looks-like-poller',
  'under-way',
  'same-form',
  'reworded',
  'short-answer',
] as const;

export const thresholdOriginSchema = z
  .object({
    setting: z.string().describe('Dotted path of the setting that the threshold is made of.'),
    value: z.number().describe('What that setting is; the adjustments make the threshold of it.'),
    scope: z
      .enum(['preset', 'server', 'model', 'session'])
      .describe('Who set it; preset: the default of the preset.'),
    adjustments: z
      .array(z.enum(thresholdAdjustments))
      .describe(
        'same-result: one less, because known results leave less doubt. declared-poller, looks-like-poller, under-way: ' +
          'three times as many, because the step waits for something, by the settings, by its name, command or agent, ' +
          'or by its result. same-form: twice as many, because the results differ. reworded: one less. short-answer: ' +
          'twice as many.',
      ),
  })
  .describe('Where the threshold comes from.');

export const beginningSchema = z
  .object({
    eventIndex: z.int().nonnegative(),
    eventId: z.string(),
    time: z.number().describe('Event time, epoch ms.'),
  })
  .describe('The first of the repetitions: where the loop began, as opposed to where it was found.');

export const costSchema = z
  .object({
    calls: z.int().nonnegative(),
    turns: z.int().nonnegative(),
    characters: z.int().nonnegative().describe('UTF-16 code units of answer and reasoning.'),
    tokens: z.number().nonnegative().nullable().describe('null where the producer reports no usage.'),
    cachedTokens: z
      .number()
      .nonnegative()
      .optional()
      .describe('Those of them that came from the cache; where usage is reported.'),
    usd: z
      .number()
      .nonnegative()
      .nullable()
      .optional()
      .describe('US dollars, where usage is reported; null where the model has no price.'),
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
  thresholdOrigin: thresholdOriginSchema.optional(),
  windowMs: z.number().nullable(),
  period: z.int().positive().describe('Steps of the cycle; 1 for plain repetition.'),
  confidence: z.number().min(0).max(1),
  tool: z.object({ name: z.string(), signature: z.string() }).nullable(),
  reason: z.string().describe('A sentence a person understands.'),
  countAt: z
    .int()
    .nonnegative()
    .optional()
    .describe('Where in the reason the count stands, in UTF-16 code units.'),
  began: beginningSchema.optional(),
  guidance: z.string().optional().describe('What to tell the model, where the action asks for it.'),
  evidence: evidenceRecordSchema,
  cost: costSchema,
  source: z
    .object({ topic: z.string(), partition: z.int(), firstOffset: z.string(), offset: z.string() })
    .optional()
    .describe('Where the events lie in the log; differs between runs.'),
  model: z.string().nullable(),
  backend: z.string().nullable(),
  agent: z.string().nullable(),
  tenant: z.string().nullable(),
  agentVersion: z.string().optional().describe('Absent where the events name none.'),
  tags: z
    .record(z.string(), z.string())
    .optional()
    .describe('Of the events, the first 16 names; absent where there are none.'),
  preset: z.string(),
  configHash: z.string(),
});

export type Verdict = z.infer<typeof verdictSchema>;
export type Beginning = z.infer<typeof beginningSchema>;
export type ThresholdAdjustment = (typeof thresholdAdjustments)[number];
export type ThresholdOrigin = z.infer<typeof thresholdOriginSchema>;
export type Cost = z.infer<typeof costSchema>;
export type VerdictPhase = (typeof verdictPhases)[number];
export type VerdictAction = (typeof verdictActions)[number];
export type VerdictOutcome = (typeof verdictOutcomes)[number];
