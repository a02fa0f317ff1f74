import { z } from 'zod';
import { budgetResources, budgetScopes } from './budget.ts';
import type { DetectorId } from './detectors.ts';
import { verdictActions } from './verdict.ts';

/**
 * What each detector writes into the evidence of its verdicts. Texts may be cut, masked or not stored, and a list keeps
 * 16 entries at most; fields stay. A resolution may leave out what was seen while the loop continued, so that fields of
 * detectors that do so are optional.
 */

const count = z.int().nonnegative();
const ordinal = z.int().positive();

/** In the evidence of every detector. */
const shared = {
  lastAction: z
    .enum(verdictActions)
    .optional()
    .describe('What the incident asked for; of a resolution, until then.'),
};

const callSchema = z
  .object({
    eventIndex: count,
    eventId: z.string(),
    time: z.number().describe('Event time, epoch ms.'),
    name: z.string(),
    arguments: z.string().describe('Canonical JSON, maybe cut.'),
    step: ordinal.optional().describe('Which step of the loop made it, from 1.'),
    member: ordinal.optional().describe('Which call of its step it is, from 1; of steps with several.'),
    result: z
      .object({
        text: z.string().describe('Maybe cut.'),
        kind: z.enum(['ok', 'error', 'transient', 'not_run']),
      })
      .optional()
      .describe('Where the detector looks at results.'),
  })
  .describe('A call of the loop.');

const calls = {
  calls: z.array(callSchema).describe('Of the first step and of the latest, oldest first.'),
  callsPerStep: z
    .int()
    .min(2)
    .optional()
    .describe('Calls of the latest step, where the model makes several at once.'),
};

const cycleCallSchema = z.object({
  name: z.string(),
  arguments: z.string().describe('Canonical JSON, maybe cut.'),
  text: z.string().describe('What it brings, maybe cut; empty where that is not known.'),
});

const repeated = z.string().describe('The text that repeats, maybe cut.');

const textSchema = z.object({
  at: count.describe("Offset of the deciding unit in the session's text."),
  rule: z
    .enum(['text', 'counter', 'lines', 'run', 'block', 'pattern', 'novelty'])
    .optional()
    .describe('How the text repeats, where kinds of that are told apart.'),
  window: z
    .object({ length: ordinal, text: z.string() })
    .optional()
    .describe('What was compared. This and all below: absent from a resolution.'),
  distance: z.number().optional().describe('Mean distance of two occurrences of the window.'),
  positions: z
    .array(z.int())
    .optional()
    .describe("Offsets in the session's text at which the latest occurrences of the window begin."),
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
      .enum(['same', 'unknown'])
      .optional()
      .describe('Whether the results are the same too, where they are looked at.'),
    similarity: z
      .object({
        algorithm: z.enum(['levenshtein', 'jaccard']),
        threshold: z.number(),
        normalizeWhitespace: z.boolean(),
        ignoreCase: z.boolean(),
      })
      .nullish()
      .describe('Of similar matching: how arguments were compared.'),
    argumentsLength: count
      .optional()
      .describe('Length of the arguments before they were cut, in UTF-16 code units.'),
    ...calls,
    ...shared,
  }),
  'tool-cycle': z.object({
    results: z
      .enum(['same', 'different', 'unknown'])
      .describe(
        'Whether each step brings the same every time; different: one form is filled in again and again.',
      ),
    cycle: z
      .array(
        cycleCallSchema.extend({
          calls: z.array(cycleCallSchema).optional().describe('Of a step with several.'),
        }),
      )
      .describe('The steps of the cycle in turn, each with the first of its calls.'),
    ...calls,
    ...shared,
  }),
  stagnation: z.object({
    rule: z.enum([
      'same-error',
      'same-failure',
      'same-result',
      'same-answer',
      'same-prompt',
      'same-message',
      'nothing-new',
    ]),
    repeated: repeated.optional().describe('Of same-prompt and same-message: its text, maybe cut.'),
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
        'What the judging model said, maybe cut. This and all below: absent where no check ended the incident.',
      ),
    turn: ordinal.optional().describe('Turn of the prompt at which it was asked, from 1.'),
    shown: z
      .object({ from: count, to: count })
      .optional()
      .describe('Turns that it was shown. This and the threshold: absent from a resolution.'),
    threshold: z.number().optional().describe('Confidence above which it is a loop.'),
    ...shared,
  }),
  'tool-limit': z.object({
    limit_reached: z.literal(true),
    limit_message: z.string(),
    ...shared,
  }),
  'turn-limit': z.object({
    turn_requests: count.describe('Model requests that were made.'),
    max_allowed: count,
    last_tool_calls: z.array(z.string()).describe('Names of the tools called last, oldest first.'),
    ...shared,
  }),
  outage: z.object({ ...calls, ...shared }),
  budget: z.object({
    per: z.enum(budgetScopes).describe('What the budget is of.'),
    of: z
      .string()
      .optional()
      .describe('The agent, the tenant or the day (YYYY-MM-DD, UTC); of a session, none.'),
    uses: z
      .array(
        z.object({
          resource: z.enum(budgetResources),
          used: z.number().nonnegative(),
          limit: z.number().positive(),
        }),
      )
      .describe('Each limit, the one that is used the most first.'),
    unpricedTurns: ordinal
      .optional()
      .describe('Turns whose model has no price, which the dollars leave out.'),
    ...shared,
  }),
} as const satisfies Record<DetectorId, z.ZodType>;

type Evidences = { readonly [D in DetectorId]: z.infer<(typeof evidenceSchemas)[D]> };

/** What a detector writes into the evidence of its verdicts. */
export type EvidenceOf<D extends DetectorId> = Evidences[D];
export type EvidenceCall = z.infer<typeof callSchema>;

const byDetector: { readonly [D in DetectorId]: z.ZodType<EvidenceOf<D>> } = evidenceSchemas;

/**
 * The evidence of a verdict that was read from the log or the API. Fields that the schema does not know are left out.
 *
 * @returns undefined when it does not fit, as that of another version may
 */
export function readEvidence<D extends DetectorId>(
  detector: D,
  evidence: unknown,
): EvidenceOf<D> | undefined {
  return byDetector[detector].safeParse(evidence).data;
}

/** Which rule held, of a detector that has several. */
export function ruleOf(evidence: EvidenceOf<DetectorId>): string | null {
  return 'rule' in evidence ? (evidence.rule ?? null) : null;
}
