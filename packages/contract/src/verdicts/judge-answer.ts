import * as z from 'zod/mini';

/** The answer that a model must give; anything else is `malformed`. */
export const judgeAnswerSchema = z.object({
  analysis: z.string().check(z.describe('Analysis of the session by the model.')),
  confidence: z
    .number()
    .check(z.minimum(0), z.maximum(1), z.describe('Confidence that the session is in a loop.')),
});

export type JudgeAnswer = z.infer<typeof judgeAnswerSchema>;
