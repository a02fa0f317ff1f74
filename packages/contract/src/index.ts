export {
  type Activity,
  type IncidentState,
  incidentAt,
  incidentStates,
  isQuiet,
  QUIET_AFTER_MS,
  type SessionState,
  sessionAt,
  sessionStates,
} from './activity.ts';
export { allowedValues } from './allowed-values.ts';
export {
  type Control,
  controlSchema,
  settingsByHeader,
  settingsFromHeader,
  settingsVersionHeader,
} from './control.ts';
export {
  type AgentContractSettings,
  agentContractSchema,
  type DetectionInput,
  type DetectionSettings,
  detectionSchema,
  detectionSettings,
  type Mode,
  type ModelSettings,
  modelSettingsSchema,
  outageSchema,
  type PresetName,
  presetNames,
  type SemanticSettings,
  semanticSchema,
  stagnationSchema,
  type TextLoopSettings,
  type ToolCallLoopSettings,
  type ToolContractSettings,
  textLoopSchema,
  toolCallLimitSchema,
  toolCallLoopSchema,
  toolContractSchema,
  toolCycleSchema,
  turnRequestsSchema,
} from './detection-settings.ts';
export { shortEnvironmentNames } from './environment-settings.ts';
export {
  type DeadLetterReason,
  deadLetterHeaders,
  deadLetterReasons,
  type EventRefusal,
  eventRefusals,
} from './error-codes.ts';
export {
  type AgentEvent,
  type EventType,
  eventSchema,
  eventSchemas,
  eventTypes,
  isEventType,
  type KnownEvent,
  MAX_NAME_UNITS,
  type OtherEvent,
  otherEventSchema,
} from './event.ts';
export { eventTime } from './event-time.ts';
export { evidenceCallSchema, evidenceSchema } from './evidence.ts';
export { judgedHeader } from './judged.ts';
export {
  type Incident,
  type IncidentRow,
  type IncidentStats,
  type IncidentStep,
  incidentSchema,
  incidentStatsSchema,
  type LiveHeartbeat,
  type LiveIncidents,
  type LiveSnapshot,
  liveHeartbeatSchema,
  liveIncidentsSchema,
  liveSnapshotSchema,
  type ServerInfo,
} from './live.ts';
export { messageOf } from './message-of.ts';
export { parsePattern } from './pattern/parse-pattern.ts';
export type { PatternProgram } from './pattern/pattern-program.ts';
export { jsonFrom, readJson } from './read-json.ts';
export { reasonWithCount } from './reason.ts';
export { type ResolvedSettings, resolveSettings, type SettingSources } from './resolve-settings.ts';
export { hiddenValue, isSecretPath } from './secret-paths.ts';
export {
  type CheckAnswer,
  type CheckFailure,
  type CheckRecord,
  checkFailures,
  checkSchema,
  type JudgeAnswer,
  judgeAnswerSchema,
} from './semantic-check.ts';
export {
  MAX_OPEN_INCIDENTS,
  type OpenIncidentSummary,
  type SessionSummary,
  sessionSummarySchema,
} from './session-summary.ts';
export {
  didYouMean,
  environmentName,
  nearest,
  type SettingPath,
  type SettingPlace,
  settingPaths,
  settingPlace,
  settingValue,
  valueFromText,
} from './setting-paths.ts';
export { settingText, settingTexts } from './setting-texts.ts';
export { type Settings, settingsSchema } from './settings.ts';
export type { SettingOrigin } from './settings-draft.ts';
export {
  defaultTopicPrefix,
  type TopicNames,
  type TopicRole,
  topicNames,
  topicRoles,
  topicSettingsSchema,
} from './topics.ts';
export {
  type Beginning,
  type Cost,
  costSchema,
  type DetectorId,
  detectorIds,
  type ThresholdAdjustment,
  type ThresholdOrigin,
  type Verdict,
  type VerdictAction,
  type VerdictOutcome,
  type VerdictPhase,
  verdictSchema,
} from './verdict.ts';
