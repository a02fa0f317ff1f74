import * as z from 'zod';

/** RFC 9457 problem details: the body of every error response. */
export const problemSchema = z.looseObject({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string().optional().describe('What is wrong, where, and what to do, for people.'),
  instance: z.string().optional(),
  errors: z
    .array(z.looseObject({ detail: z.string() }))
    .optional()
    .describe('The individual errors, each with the `parameter`, `path` or `line` it refers to.'),
});

export type Problem = z.infer<typeof problemSchema>;
