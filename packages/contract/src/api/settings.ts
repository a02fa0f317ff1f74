import * as z from 'zod';

/* `/settings` and `/settings/:scope`. Scopes: `server`, `model:<backend>/<model>`, `session:<id>`, URL-encoded. */

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
/** What a scope looks like in a URL. */
export const SCOPE_PATTERN = '^(?:server|model:[^/]+/.+|session:.+)$';

/** A setting that can be changed at runtime, derived from the settings schema. */
export const settingKeySchema = z.object({
  path: z.string().describe('Dotted path, as in the configuration file.'),
  type: z.enum(['boolean', 'integer', 'number', 'text', 'choice', 'list', 'map']),
  choices: z.array(z.string()).nullable().describe('Allowed values of type choice.'),
  min: z.number().nullable(),
  max: z.number().nullable(),
  nullable: z.boolean().describe('Whether null is allowed; it means no limit.'),
  allowed: z.string().describe('Allowed values, in words.'),
  description: z.string(),
  scopes: z.array(z.enum(scopeKinds)).describe('Scopes that can set it.'),
});

export const effectiveSettingSchema = z.object({
  path: z.string(),
  value: z.unknown().describe('Effective value, including that of the preset; null if there is none.'),
  note: z.string().optional().describe('Why the value has no effect; absent if it has.'),
  origin: z.object({
    tier: z.enum(settingTiers),
    name: z
      .string()
      .nullable()
      .describe('Name of the file, environment variable, flag, preset or scope that sets the value.'),
  }),
});

/** `GET /settings/:scope`; also the response of PUT and DELETE. */
export const scopeSettingsSchema = z.object({
  scope: z.string(),
  set: z.record(z.string(), z.unknown()).describe('Settings of this scope itself, by dotted path.'),
  version: z.int().nonnegative().describe('Increases with each change; 0 before the first.'),
  updatedAt: z.number().nullable(),
  updatedBy: z.string().nullable(),
  invalid: z
    .array(z.object({ path: z.string(), detail: z.string() }))
    .describe('Entries of `set` that are invalid and therefore ignored.'),
  effective: z.array(effectiveSettingSchema).describe('The effective value of every key in this scope.'),
});

/** Body of `PUT /settings/:scope`: replaces what the scope sets. */
export const settingsPutSchema = z.strictObject({
  set: z.record(z.string(), z.unknown()),
  version: z.int().nonnegative().optional().describe('Expected current version; 409 if it differs.'),
});

/** `GET /settings`. */
export const settingsOverviewSchema = z.object({
  keys: z.array(settingKeySchema),
  scopes: z
    .array(scopeSettingsSchema.omit({ effective: true, invalid: true }))
    .describe('Scopes that set something.'),
});

export type SettingKey = z.infer<typeof settingKeySchema>;
export type EffectiveSetting = z.infer<typeof effectiveSettingSchema>;
export type ScopeSettings = z.infer<typeof scopeSettingsSchema>;
export type SettingsPut = z.infer<typeof settingsPutSchema>;
export type SettingsOverview = z.infer<typeof settingsOverviewSchema>;
