import * as z from 'zod';
import { budgetResources, budgetScopes, subAgentResources } from './budget.ts';
import { type DetectorId, detectorIds } from './detectors.ts';
import { evidenceRecordSchema, verdictActions } from './verdict.ts';

/*
 * The evidence of each detector. Texts may be truncated, masked or not stored, and lists have at most 16 entries.
 * Fields that a resolved verdict may omit are optional.
 */

const count = z.int().nonnegative();
const ordinal = z.int().positive();

/** Fields of every detector's evidence. */
const shared = {
  lastAction: z
    .enum(verdictActions)
    .optional()
    .describe('Action of the incident; for a resolved verdict, the action before it.'),
};

const callSchema = z
  .object({
    eventIndex: count,
    eventId: z.string(),
    time: z.number().describe('Event time, epoch ms.'),
    name: z.string(),
    arguments: z.string().describe('Canonical JSON, may be truncated.'),
    step: ordinal.optional().describe('Step of the loop that made the call, from 1.'),
    member: ordinal
      .optional()
      .describe('Number of the call in its step, from 1; only for steps with several calls.'),
    result: z
      .object({
        text: z.string().describe('May be truncated.'),
        kind: z.enum(['ok', 'error', 'transient', 'not_run']),
      })
      .optional()
      .describe('Present if the detector compares results.'),
  })
  .describe('A call of the loop.');

const calls = {
  calls: z.array(callSchema).describe('Calls of the first and the latest steps, oldest first.'),
  callsPerStep: z
    .int()
    .min(2)
    .optional()
    .describe('Number of calls in the latest step, if the model makes several at once.'),
};

const cycleCallSchema = z.object({
  name: z.string(),
  arguments: z.string().describe('Canonical JSON, may be truncated.'),
  text: z.string().describe('Its result, may be truncated; empty if unknown.'),
});

const repeated = z.string().describe('The repeated text, may be truncated.');

const textSchema = z.object({
  at: count.describe("Offset of the deciding unit in the session's text."),
  rule: z
    .enum(['text', 'counter', 'lines', 'run', 'block', 'pattern', 'novelty'])
    .optional()
    .describe('The rule that matched, for detectors with several.'),
  window: z
    .object({ length: ordinal, text: z.string() })
    .optional()
    .describe('The compared passage. This and the fields below are absent from resolved verdicts.'),
  distance: z.number().optional().describe('Mean distance between two occurrences of the passage.'),
  positions: z
    .array(z.int())
    .optional()
    .describe("Offsets in the session's text of the latest occurrences of the passage."),
  repeated: repeated.optional(),
  excerpt: z
    .object({ from: z.int().describe("Offset in the session's text."), text: z.string() })
    .optional()
    .describe('The text up to the deciding unit.'),
  ...shared,
});

export const evidenceSchemas = {
  'tool-repeat': z.object({
    matching: z.enum(['exact', 'similar']),
    results: z
      .enum(['same', 'alike', 'different', 'unknown'])
      .optional()
      .describe(
        'Whether the results are the same too, if the detector compares them. alike: apart from tokens that look ' +
          'random.',
      ),
    similarity: z
      .object({
        algorithm: z.enum(['levenshtein', 'jaccard']),
        threshold: z.number(),
        normalizeWhitespace: z.boolean(),
        ignoreCase: z.boolean(),
      })
      .nullish()
      .describe('How arguments were compared, for similar matching.'),
    argumentsLength: count
      .optional()
      .describe('Length of the arguments before truncation, in UTF-16 code units.'),
    ...calls,
    ...shared,
  }),
  'tool-cycle': z.object({
    results: z
      .enum(['same', 'alike', 'different', 'unknown'])
      .describe(
        'Whether each step returns the same result every time. alike: apart from tokens that look random. different: the same form is filled in repeatedly.',
      ),
    cycle: z
      .array(
        cycleCallSchema.extend({
          calls: z.array(cycleCallSchema).optional().describe('All calls of a step with several.'),
        }),
      )
      .describe('The steps of the cycle in order, each with its first call.'),
    ...calls,
    ...shared,
  }),
  stagnation: z.object({
    rule: z.enum([
      'same-error',
      'same-failure',
      'same-result',
      'same-answer',
      'known-answers',
      'handoffs',
      'same-prompt',
      'same-message',
      'nothing-new',
    ]),
    repeated: repeated
      .optional()
      .describe('The repeated prompt or message of same-prompt and same-message, may be truncated.'),
    ...calls,
    ...shared,
  }),
  'content-repeat': textSchema,
  'thought-repeat': textSchema,
  semantic: z.object({
    analysis: z
      .string()
      .optional()
      .describe(
        'Analysis by the model, may be truncated. This and the fields below are absent if the incident ended without a check.',
      ),
    turn: ordinal.optional().describe('Turn of the prompt that was checked, from 1.'),
    shown: z
      .object({ from: count, to: count })
      .optional()
      .describe(
        'Range of turns sent to the model. This and the threshold are absent from resolved verdicts.',
      ),
    threshold: z.number().optional().describe('Confidence above which a loop is reported.'),
    ...shared,
  }),
  'tool-limit': z.object({
    limit_reached: z.literal(true),
    limit_message: z.string(),
    ...shared,
  }),
  'turn-limit': z.object({
    turn_requests: count.describe('Number of model requests.'),
    max_allowed: count,
    last_tool_calls: z.array(z.string()).describe('Names of the latest tools called, oldest first.'),
    ...shared,
  }),
  outage: z.object({ ...calls, ...shared }),
  budget: z.object({
    per: z.enum(budgetScopes).describe('Scope of the budget.'),
    subject: z
      .string()
      .optional()
      .describe(
        'The agent, the tenant or the day (YYYY-MM-DD, UTC); the session that started the sub-agents; absent for the session itself.',
      ),
    uses: z
      .array(
        z.object({
          resource: z.enum([...budgetResources, ...subAgentResources]),
          used: z.number().nonnegative(),
          limit: z.number().positive(),
        }),
      )
      .describe('The limits, highest share used first.'),
    unpricedTurns: ordinal
      .optional()
      .describe('Turns of models without a price; the dollar amount excludes them.'),
    ...shared,
  }),
} as const satisfies Record<DetectorId, z.ZodType>;

type Evidences = { readonly [D in DetectorId]: z.infer<(typeof evidenceSchemas)[D]> };

/** The evidence of a detector. */
export type EvidenceOf<D extends DetectorId> = Evidences[D];
export type EvidenceCall = z.infer<typeof callSchema>;

const byDetector: { readonly [D in DetectorId]: z.ZodType<EvidenceOf<D>> } = evidenceSchemas;

/**
 * Validates the evidence of a verdict from the log or the API, and drops unknown fields.
 *
 * @returns undefined if it does not match the schema, for example because another version wrote it
 */
export function readEvidence<D extends DetectorId>(
  detector: D,
  evidence: unknown,
): EvidenceOf<D> | undefined {
  return byDetector[detector].safeParse(evidence).data;
}

/** The rule that matched, for detectors with several. */
export function ruleOf(evidence: EvidenceOf<DetectorId>): string | null {
  return 'rule' in evidence ? (evidence.rule ?? null) : null;
}

type JsonSchema = z.core.JSONSchema.BaseSchema;

/**
 * For the `override` of `z.toJSONSchema`: replaces evidence by one schema per detector.
 *
 * @param form the schema of a detector's evidence; by default in full, titled with the detector's id
 */
export function expandEvidenceSchema(
  part: { readonly zodSchema: unknown; readonly jsonSchema: JsonSchema },
  form: (id: DetectorId) => JsonSchema = titledForm,
): void {
  const { zodSchema, jsonSchema } = part;
  if (zodSchema !== evidenceRecordSchema) return;
  delete jsonSchema.propertyNames;
  delete jsonSchema.additionalProperties;
  jsonSchema.anyOf = [
    ...detectorIds.map(form),
    { title: 'other', description: 'Evidence of another version.', type: 'object' },
  ];
}

/** As an input schema, which allows additional fields. */
function titledForm(id: DetectorId): JsonSchema {
  const { $schema, ...form } = z.toJSONSchema(evidenceSchemas[id], { io: 'input', target: 'draft-7' });
  return { title: id, ...form };
}
