import * as z from 'zod';
import { type JudgeAnswer, judgeAnswerSchema } from './judge-answer.ts';

/** Why a check has no answer. `skipped`: a rate limit was reached. */
export const checkFailures = ['error', 'timeout', 'malformed', 'skipped'] as const;
export type CheckFailure = (typeof checkFailures)[number];

const { analysis, confidence } = judgeAnswerSchema.shape;

/** A record of the `checks` topic: the result of a semantic check. */
export const checkSchema = z.object({
  v: z.literal(1),
  id: z.string().describe('Hash of session, event id and event time: the same in every run.'),
  sessionId: z.string(),
  promptId: z.string().nullable(),
  eventId: z.string().describe('The turn_started event that triggered the check.'),
  eventIndex: z.int().nonnegative().describe('Index of that event in its session, from 0.'),
  time: z.number().describe('Event time, epoch ms.'),
  turn: z.int().positive().describe('Turn of the prompt that triggered the check, from 1.'),
  model: z.string().nullable().describe('The model that gave the final answer.'),
  analysis: z.nullable(analysis),
  confidence: z.nullable(confidence),
  failure: z.enum(checkFailures).nullable().describe('Why there is no answer; null if there is one.'),
});

export type CheckRecord = z.infer<typeof checkSchema>;
/** The outcome of a check: an answer, or why there is none. */
export type CheckAnswer = JudgeAnswer | { readonly failure: CheckFailure };
