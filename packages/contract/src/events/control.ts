import * as z from 'zod';

/** A record of the `control` topic: the settings of one scope. The key is the scope, so compaction keeps the latest. */
export const controlSchema = z.strictObject({
  v: z.literal(1).default(1),
  scope: z
    .string()
    .regex(
      /^(server|model:[^/]+\/.+|session:.+)$/,
      'must be server, model:<backend>/<model> or session:<id>',
    ),
  set: z.record(z.string(), z.unknown()).default({}).describe('Values by dotted path.'),
  unset: z.array(z.string()).default([]).describe('Dotted paths that fall back to the wider scope.'),
});

export type Control = z.infer<typeof controlSchema>;
