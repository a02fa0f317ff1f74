import * as z from 'zod';
import { detectorIds } from './detectors.ts';

export const verdictPhases = ['opened', 'escalated', 'resolved'] as const;
export const verdictActions = ['warn', 'chance', 'block', 'none'] as const;
export const verdictOutcomes = ['recovered', 'ended', 'disabled'] as const;

/** Why a threshold differs from its setting. */
export const thresholdAdjustments = [
  'same-result',
  'alike-results',
  'any-results',
  'declared-poller',
  'looks-like-poller',
  'under-way',
  'same-form',
  'reworded',
  'short-answer',
  'empty-turns',
  'several-agents',
  'navigation',
  'repeated-length',
] as const;

export const thresholdOriginSchema = z
  .object({
    setting: z.string().describe('Dotted path of the setting that the threshold derives from.'),
    value: z.number().describe('Value of that setting, before the adjustments.'),
    scope: z
      .enum(['preset', 'server', 'model', 'session'])
      .describe('Scope that sets it; preset: the default of the preset.'),
    adjustments: z
      .array(z.enum(thresholdAdjustments))
      .describe(
        'same-result: one less, because identical results leave less doubt. alike-results: one more, because ' +
          'the results, or messages, differ in tokens that look random. any-results: ten times as many, because the results ' +
          'differ. declared-poller, looks-like-poller, ' +
          'under-way: three times as many, because the step waits, according to the settings, its name, ' +
          'command or agent, or its result. same-form: twice as many, because the results differ. reworded: one less, ' +
          'because only the wording of the query changes. empty-turns: four times as many, because a producer may leave ' +
          'out texts. several-agents: twice as many, because two agents may need each other. short-answer: twice as many, because short results often ' +
          'coincide. navigation: three times as many, because each step may show something else. repeated-length: the ' +
          'occurrences at which the text had gone on long enough without new content.',
      ),
  })
  .describe('How the threshold was determined.');

export const beginningSchema = z
  .object({
    eventIndex: z.int().nonnegative(),
    eventId: z.string(),
    time: z.number().describe('Event time, epoch ms.'),
  })
  .describe('The first repetition: where the loop began, as opposed to where it was detected.');

export const costSchema = z
  .object({
    calls: z.int().nonnegative(),
    turns: z.int().nonnegative(),
    characters: z.int().nonnegative().describe('UTF-16 code units of response and reasoning.'),
    tokens: z.number().nonnegative().nullable().describe('null if the producer reports no usage.'),
    cachedTokens: z
      .number()
      .nonnegative()
      .optional()
      .describe('Tokens read from the cache; present if usage is reported.'),
    usd: z
      .number()
      .nonnegative()
      .nullable()
      .optional()
      .describe('US dollars, if usage is reported; null if the model has no price.'),
    ms: z.number().describe('Event time since the loop began, not since it was detected.'),
  })
  .describe('Resources used since the loop began.');

export const wasteSchema = costSchema
  .pick({ calls: true, tokens: true, usd: true })
  .describe(
    'The part of the cost that no loop of the session that opened earlier contains. Sums of it count each call once. Absent for limits and outages, which are no loops.',
  );

/**
 * Evidence in verdicts and incidents. It is not validated here, so that verdicts of other versions are accepted;
 * `readEvidence` validates it by detector.
 */
export const evidenceRecordSchema = z
  .record(z.string(), z.unknown())
  .describe(
    'Depends on the detector; at most 32 KiB, secrets masked. For an incident: the evidence of the latest verdict that has any.',
  );

/** A verdict, version 1: one change in the lifecycle of an incident. */
export const verdictSchema = z.object({
  v: z.literal(1),
  id: z.string().describe('Deterministic: the same in every run over the same events.'),
  incidentId: z.string(),
  phase: z.enum(verdictPhases),
  kind: z.enum(['loop', 'limit', 'outage']),
  detector: z.enum(detectorIds),
  action: z.enum(verdictActions),
  outcome: z.enum(verdictOutcomes).optional().describe('How a resolved incident ended.'),
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
  tool: z
    .object({ name: z.string(), signature: z.string().describe('A text for people: masked and truncated.') })
    .nullable(),
  callKey: z
    .string()
    .max(1000)
    .optional()
    .describe(
      'Opaque: identifies the calls that continue the loop, as detection compares them. Absent if there are none.',
    ),
  title: z
    .string()
    .optional()
    .describe('What was found, in a few words without arguments. Absent from verdicts of older versions.'),
  reason: z.string().describe('What was found, in a sentence for people.'),
  countAt: z
    .int()
    .nonnegative()
    .optional()
    .describe('Position of the count in the reason, in UTF-16 code units.'),
  began: beginningSchema.optional(),
  guidance: z.string().optional().describe('Message to the model, if the action calls for one.'),
  evidence: evidenceRecordSchema,
  cost: costSchema,
  wasted: wasteSchema.optional(),
  source: z
    .object({ topic: z.string(), partition: z.int(), firstOffset: z.string(), offset: z.string() })
    .optional()
    .describe('Offsets of the events in the log; differs between runs.'),
  model: z.string().nullable(),
  backend: z.string().nullable(),
  agent: z.string().nullable(),
  tenant: z.string().nullable(),
  agentVersion: z.string().optional().describe('Absent if the events have none.'),
  tags: z
    .record(z.string(), z.string())
    .optional()
    .describe('Tags of the events, at most 16; absent if there are none.'),
  preset: z.string(),
  configHash: z.string(),
});

export type Verdict = z.infer<typeof verdictSchema>;
export type ThresholdAdjustment = (typeof thresholdAdjustments)[number];
export type ThresholdOrigin = z.infer<typeof thresholdOriginSchema>;
export type Cost = z.infer<typeof costSchema>;
export type Waste = z.infer<typeof wasteSchema>;
export type VerdictPhase = (typeof verdictPhases)[number];
export type VerdictAction = (typeof verdictActions)[number];
export type VerdictOutcome = (typeof verdictOutcomes)[number];
