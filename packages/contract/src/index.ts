export { type Control, controlSchema } from './events/control.ts';
export {
  type DeadLetterReason,
  deadLetterReasons,
  type EventRefusal,
  eventRefusals,
} from './events/error-codes.ts';
export {
  type AgentEvent,
  eventSchema,
  eventSchemas,
  exceededLimit,
  type KnownEvent,
  MAX_TOKENS,
  otherEventSchema,
} from './events/event.ts';
export { eventTime } from './events/event-time.ts';
export { type EventType, eventTypes, isEventType } from './events/event-types.ts';
export { type FormatName, formatNames } from './events/format-names.ts';
export {
  analyzedByHeader,
  deadLetterHeaders,
  erasedHeader,
  erasedKey,
  settingsByHeader,
  settingsFromHeader,
  settingsVersionHeader,
} from './events/headers.ts';
export { backoff } from './lib/backoff.ts';
export { exactJson } from './lib/exact-json.ts';
export { messageOf } from './lib/message-of.ts';
export {
  exceedsBytes,
  MAX_NAME_BYTES,
  shortName,
  storableJson,
  storableText,
  utf8Length,
} from './lib/names.ts';
export { jsonFrom, readJson } from './lib/read-json.ts';
export {
  agentContractSchema,
  detectionSchema,
  modelSettingsSchema,
  toolCallLoopSchema,
  toolContractSchema,
} from './settings/detection-schema.ts';
export {
  type AgentContractSettings,
  type DetectionInput,
  type DetectionSettings,
  detectionSettings,
  type Mode,
  type ModelSettings,
  type PresetName,
  type PriceSettings,
  presetNames,
  type ToolCallLoopSettings,
  type ToolContractSettings,
} from './settings/detection-settings.ts';
export {
  type NotificationRules,
  type NotificationSettings,
  type NotificationType,
  notificationSchema,
  notificationTypes,
} from './settings/notification-settings.ts';
export { type Settings, settingsSchema } from './settings/settings.ts';
export {
  defaultTopicPrefix,
  type SourceSettings,
  type TopicNames,
  type TopicRole,
  topicNames,
  topicRoles,
  topicSettingsSchema,
} from './settings/topics.ts';
export {
  type Activity,
  activityAt,
  happenedAt,
  type IncidentState,
  incidentAt,
  isQuiet,
  isWrongClock,
  QUIET_AFTER_MS,
  type SessionState,
  sessionAt,
} from './verdicts/activity.ts';
export { type BudgetResource, type BudgetScope, budgetResources } from './verdicts/budget.ts';
export { callDetectors } from './verdicts/call-detectors.ts';
export { type DetectorId, detectorFacts, detectorIds, detectorKind } from './verdicts/detectors.ts';
export {
  type EvidenceCall,
  type EvidenceOf,
  evidenceSchemas,
  readEvidence,
  ruleOf,
} from './verdicts/evidence.ts';
export { isOpenAfter, mitigationBy, strongerAction } from './verdicts/incident-life.ts';
export { argumentsOf, incidentTitle, titleWithCount } from './verdicts/incident-title.ts';
export { type JudgeAnswer, judgeAnswerSchema } from './verdicts/judge-answer.ts';
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
} from './verdicts/live.ts';
export { reasonWithCount } from './verdicts/reason.ts';
export {
  type CheckAnswer,
  type CheckFailure,
  type CheckRecord,
  checkSchema,
} from './verdicts/semantic-check.ts';
export {
  MAX_OPEN_INCIDENTS,
  type OpenIncidentSummary,
  type SessionSummary,
  sessionSummarySchema,
} from './verdicts/session-summary.ts';
export {
  type Cost,
  type ThresholdAdjustment,
  type ThresholdOrigin,
  type Verdict,
  type VerdictAction,
  type VerdictOutcome,
  type VerdictPhase,
  verdictPhases,
  verdictSchema,
  type Waste,
} from './verdicts/verdict.ts';
