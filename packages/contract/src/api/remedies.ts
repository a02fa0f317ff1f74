import { z } from 'zod';

/* `GET /incidents/:id/remedies`: settings under which the incident would not have been reported. */

export const remedySchema = z.object({
  path: z.string().describe('Dotted path of the setting.'),
  value: z
    .unknown()
    .describe(
      'Value to set. For a map such as `per_tool`: the complete map, including the entries set for others.',
    ),
  text: z.string().describe('Description of the change.'),
  scopes: z
    .array(z.string())
    .min(1)
    .describe('Scopes in which the value takes effect for the session, widest first.'),
});
export const remediesSchema = z.object({ items: z.array(remedySchema) });

export type Remedy = z.infer<typeof remedySchema>;
export type Remedies = z.infer<typeof remediesSchema>;
