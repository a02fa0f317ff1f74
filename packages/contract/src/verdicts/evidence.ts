import { z } from 'zod';

/**
 * The evidence of a verdict, as far as detectors share its form: which parts there are depends on the detector. All of
 * it is optional, and other fields may stand beside these.
 */

/** A call of the loop. */
export const evidenceCallSchema = z.object({
  eventIndex: z.int().nonnegative(),
  eventId: z.string(),
  time: z.number().describe('Event time, epoch ms.'),
  name: z.string(),
  arguments: z.string().describe('Canonical JSON, maybe cut.'),
  step: z.int().positive().optional().describe('Which step of the loop made it, from 1.'),
  similarity: z.number().optional().describe('0 to 1, where calls were compared by likeness.'),
  member: z.int().positive().optional().describe('Which call of its step it is, from 1.'),
  result: z
    .object({ text: z.string().describe('Maybe cut.'), kind: z.string().describe('ok, or how it failed.') })
    .optional(),
});

export const evidenceSchema = z.looseObject({
  calls: z.array(evidenceCallSchema).optional().describe('Of the first step and of the latest.'),
  callsPerStep: z
    .int()
    .positive()
    .optional()
    .describe('Calls of the latest step; more than one where the model makes several at once.'),
  rule: z.string().optional().describe('Of a detector with several.'),
  matching: z.enum(['exact', 'similar']).optional(),
  cycle: z
    .array(z.object({ name: z.string(), arguments: z.string(), text: z.string() }))
    .optional()
    .describe('The steps of the cycle, and what each brings.'),
  repeated: z.string().optional().describe('The text that repeats, one period of it.'),
  window: z.object({ length: z.int(), text: z.string() }).optional().describe('What was compared.'),
  positions: z
    .array(z.int())
    .optional()
    .describe('Offsets in the text of the session at which the latest occurrences of the window begin.'),
  distance: z.number().optional().describe('Mean distance of two of them.'),
  excerpt: z.object({ from: z.int(), text: z.string() }).optional(),
  analysis: z.string().optional().describe('What the judging model said.'),
});
