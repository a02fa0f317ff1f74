import { z } from 'zod';

/** RFC 9457 problem details: every answer that is not a success. */
export const problemSchema = z.looseObject({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string().optional().describe('A sentence for people: what is wrong, where, and what to do.'),
  instance: z.string().optional(),
  errors: z
    .array(z.looseObject({ detail: z.string() }))
    .optional()
    .describe('Each fault by itself, with the `parameter`, `path` or `line` it is in.'),
});

export type Problem = z.infer<typeof problemSchema>;
