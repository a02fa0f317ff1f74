/* For Loopwatch's own packages: these names may change in any release. */

export { withOwnNames } from './events/own-names.ts';
export { editDistance } from './lib/edit-distance.ts';
export { errorsText } from './lib/issue-text.ts';
export { didYouMean, nearest } from './lib/nearest.ts';
export { sessionPath } from './lib/path-segment.ts';
export { plainErrors } from './lib/plain-errors.ts';
export { timeFromText } from './lib/time-from-text.ts';
export { parsePattern } from './pattern/parse-pattern.ts';
export type { PatternProgram } from './pattern/pattern-program.ts';
export { allowedValues } from './settings/allowed-values.ts';
export { block, number, text } from './settings/definition.ts';
export {
  detectionDefinition,
  modelDefinition,
  toolCallLoopDefinition,
} from './settings/detection-settings.ts';
export { shortEnvironmentNames } from './settings/environment-settings.ts';
export {
  indirectSecret,
  literalNotificationSchema,
  notificationSecrets,
  withoutSecrets,
} from './settings/notification-settings.ts';
export {
  isSetting,
  parseSettings,
  type SettingIssue,
  safeParseSettings,
} from './settings/parse-settings.ts';
export { resolveSettings } from './settings/resolve-settings.ts';
export { schemaOf } from './settings/schema-of.ts';
export {
  blockKeys,
  entrySchema,
  environmentName,
  findSetting,
  hiddenValue,
  isSecretPath,
  type SettingPath,
  type SettingSchema,
  schemaDef,
  schemaShape,
  settingPaths,
  settingValue,
  unwrapSchema,
  valueAt,
} from './settings/setting-paths.ts';
export { settingText, settingTexts } from './settings/setting-texts.ts';
export type { SettingOrigin } from './settings/settings-draft.ts';
export { choiceFrom, scalarFromText, valueFromText } from './settings/value-from-text.ts';
export { withoutUser } from './settings/without-user.ts';
export { expandEvidenceSchema } from './verdicts/evidence.ts';
