import { z } from 'zod';

/** A record of the `checks` topic: what a model answered when it was asked whether a session loops. */

/** Why a check has no answer. `skipped`: a limit was reached, and no model was asked. */
export const checkFailures = ['error', 'timeout', 'malformed', 'skipped'] as const;
export type CheckFailure = (typeof checkFailures)[number];

const answered = {
  analysis: z.string().describe('What the model says of the session.'),
  confidence: z.number().min(0).max(1).describe('How sure it is that the session loops.'),
};

/** What a model is held to; anything else is malformed. */
export const judgeAnswerSchema = z.object(answered);

export const checkSchema = z.object({
  v: z.literal(1),
  id: z.string().describe('A hash of session, event id and event time: the same in every run.'),
  sessionId: z.string(),
  promptId: z.string().nullable(),
  eventId: z.string().describe('The turn_started that asked.'),
  eventIndex: z.int().nonnegative().describe('Index of that event in its session, from 0.'),
  time: z.number().describe('Event time, epoch ms.'),
  turn: z.int().positive().describe('Turn of the prompt that asked, from 1.'),
  model: z.string().nullable().describe('The model that had the last word.'),
  analysis: answered.analysis.nullable(),
  confidence: answered.confidence.nullable(),
  failure: z.enum(checkFailures).nullable().describe('Why there is no answer; null where there is one.'),
});

export type JudgeAnswer = z.infer<typeof judgeAnswerSchema>;
export type CheckRecord = z.infer<typeof checkSchema>;
/** How a check ended: with an answer, or without. */
export type CheckAnswer = JudgeAnswer | { readonly failure: CheckFailure };
