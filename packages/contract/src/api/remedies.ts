import { z } from 'zod';

/** `GET /incidents/:id/remedies`: settings under which an incident would not have been found. */

export const remedySchema = z.object({
  path: z.string().describe('Dotted path of the setting.'),
  value: z
    .unknown()
    .describe('What to set it to. Of a map such as `per_tool`: all of it, what is set for others kept.'),
  text: z.string().describe('In words.'),
  scopes: z
    .array(z.string())
    .min(1)
    .describe('Where it can be set so that it holds for the session, the widest first.'),
});
export const remediesSchema = z.object({ items: z.array(remedySchema) });

export type Remedy = z.infer<typeof remedySchema>;
export type Remedies = z.infer<typeof remediesSchema>;
