/* For Loopwatch's own packages: these names may change in any release. */

export { editDistance } from './lib/edit-distance.ts';
export { sessionPath } from './lib/path-segment.ts';
export { parsePattern } from './pattern/parse-pattern.ts';
export type { PatternProgram } from './pattern/pattern-program.ts';
export { allowedValues } from './settings/allowed-values.ts';
export { shortEnvironmentNames } from './settings/environment-settings.ts';
export { indirectSecret, notificationSecrets, withoutSecrets } from './settings/notification-settings.ts';
export { resolveSettings } from './settings/resolve-settings.ts';
export {
  choiceFrom,
  didYouMean,
  entrySchema,
  environmentName,
  findSetting,
  hiddenValue,
  isSecretPath,
  nearest,
  type SettingPath,
  type SettingSchema,
  scalarFromText,
  schemaDef,
  schemaShape,
  settingPaths,
  settingValue,
  unwrapSchema,
  valueAt,
  valueFromText,
} from './settings/setting-paths.ts';
export { settingText, settingTexts } from './settings/setting-texts.ts';
export type { SettingOrigin } from './settings/settings-draft.ts';
export { expandEvidenceSchema } from './verdicts/evidence.ts';
