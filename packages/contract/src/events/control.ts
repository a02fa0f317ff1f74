import { z } from 'zod';

/** A record of the `control` topic: settings of one scope. Its key is the scope, so that compaction keeps the latest. */
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

/** Headers of a record of settings: its value says nothing of who and when. Others than servers and gateways write none. */
export const settingsVersionHeader = 'loopwatch-version';
/** Who made the settings. */
export const settingsByHeader = 'loopwatch-by';
/** The gateway that wrote the record, and goes by it already. */
export const settingsFromHeader = 'loopwatch-from';
