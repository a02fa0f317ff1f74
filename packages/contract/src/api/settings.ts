import { z } from 'zod';

/** `/settings` and `/settings/:scope`. Scopes: `server`, `model:<backend>/<model>`, `session:<id>`, URL-encoded. */

export const settingTiers = [
  'default',
  'preset',
  'file',
  'environment',
  'flag',
  'server',
  'model',
  'session',
] as const;
export type SettingTier = (typeof settingTiers)[number];

export const scopeKinds = ['server', 'model', 'session'] as const;
export type ScopeKind = (typeof scopeKinds)[number];

/** One setting that can be changed while the system runs, made from the settings' schema. */
export const settingKeySchema = z.object({
  path: z.string().describe('Dotted, as in the file.'),
  type: z.enum(['boolean', 'integer', 'number', 'text', 'choice', 'list', 'map']),
  choices: z.array(z.string()).nullable().describe('Of a choice.'),
  min: z.number().nullable(),
  max: z.number().nullable(),
  nullable: z.boolean().describe('null may be set, and means something of its own: no limit.'),
  allowed: z.string().describe('What it takes, in words.'),
  description: z.string(),
  scopes: z.array(z.enum(scopeKinds)).describe('Where it may be set.'),
});

export const effectiveSettingSchema = z.object({
  path: z.string(),
  value: z.unknown().describe('What holds, the preset filled in; null where nothing does.'),
  note: z.string().optional().describe('Why the value has no effect, where it has none.'),
  origin: z.object({
    tier: z.enum(settingTiers),
    name: z
      .string()
      .nullable()
      .describe('Of the file, the variable, the flag, the preset or the scope that decided.'),
  }),
});

/** `GET /settings/:scope`, and the answer of PUT and DELETE. */
export const scopeSettingsSchema = z.object({
  scope: z.string(),
  set: z.record(z.string(), z.unknown()).describe('What this scope itself sets, by dotted path.'),
  version: z.int().nonnegative().describe('Grows with each change; 0 while nothing was ever set.'),
  updatedAt: z.number().nullable(),
  updatedBy: z.string().nullable(),
  invalid: z
    .array(z.object({ path: z.string(), detail: z.string() }))
    .describe('What of `set` cannot be taken, as an older version may have: it is left out, the rest holds.'),
  effective: z.array(effectiveSettingSchema).describe('Every key as it holds in this scope.'),
});

/** Body of `PUT /settings/:scope`: replaces what the scope sets. */
export const settingsPutSchema = z.strictObject({
  set: z.record(z.string(), z.unknown()),
  version: z
    .int()
    .nonnegative()
    .optional()
    .describe('The version the change was made on: 409 if it is another by now.'),
});

/** `GET /settings`. */
export const settingsOverviewSchema = z.object({
  keys: z.array(settingKeySchema),
  scopes: z
    .array(scopeSettingsSchema.omit({ effective: true, invalid: true }))
    .describe('Those that set something.'),
});

export type SettingKey = z.infer<typeof settingKeySchema>;
export type EffectiveSetting = z.infer<typeof effectiveSettingSchema>;
export type ScopeSettings = z.infer<typeof scopeSettingsSchema>;
export type SettingsPut = z.infer<typeof settingsPutSchema>;
export type SettingsOverview = z.infer<typeof settingsOverviewSchema>;
