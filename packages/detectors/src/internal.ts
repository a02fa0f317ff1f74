/* For Loopwatch's own packages: these names may change in any release. */

export {
  type BudgetUse,
  budgetPercent,
  budgetUses,
  reportedUse,
  USED_UP,
  WARNED_AT,
} from './detectors/budget/budget-use.ts';
export type { DetectorDefinition } from './detectors/definition.ts';
export { detectors } from './detectors/registry.ts';
export { blockMessage } from './detectors/tool-repeat/wording.ts';
export type { Detector, EventStep, Finding } from './incident/finding.ts';
export { canonicalArguments, canonicalJson } from './lib/canonical-json.ts';
export { sha256 } from './lib/digest.ts';
export { oneLine } from './lib/one-line.ts';
export { type Detection, detectionOf } from './plan/detection.ts';
export { effectiveDetectionValues } from './plan/effective-detection-values.ts';
export { LiveSettings, type SettingsVersion } from './plan/live-settings.ts';
export { planDetection } from './plan/make-plan.ts';
export type { DetectionPlan } from './plan/plan.ts';
export { denialMessage, guidanceOf, stopMessage } from './plan/stop-message.ts';
export type { PriceBook } from './prices/price-book.ts';
export { maskPieces, maskSecrets } from './privacy/mask.ts';
export { maskJson } from './privacy/mask-json.ts';
export { type MaskPatterns, maskPatterns } from './privacy/mask-patterns.ts';
export { denialText, isDenial } from './results/result-kind.ts';
export { ConfiguredSession } from './session/configured-session.ts';
export { ALLOWED, deniedResult, isRefused, type OpenIncident, stoppedDecision } from './session/decide.ts';
export type { TurnRequest } from './session/detector-bank.ts';
export { knownElsewhere } from './session/known-elsewhere.ts';
export { type LogLine, turnRequestLines, verdictLines } from './session/log-lines.ts';
export { type ModelUsage, type PastUsage, withPastUsage } from './session/past-usage.ts';
export type { Conclusion, PushResult } from './session/push-result.ts';
export { SessionAnalyzer } from './session/session-analyzer.ts';
export {
  accountOf,
  openIncidentFigures,
  openIncidentSummaries,
  reportOf,
  type SessionAccount,
  type SessionReport,
  type SessionState,
} from './session/session-report.ts';
export { SNAPSHOT_VERSION } from './session/session-snapshot.ts';
export { addPrompt, sessionTitle, withPrompt } from './session/session-title.ts';
export { type WatchedPush, WatchedSession } from './session/watched-session.ts';
export {
  asksForHelp,
  type ChatCommand,
  chatCommands,
  withoutChatCommands,
} from './settings/chat-commands.ts';
export { effectiveSettings, type SessionScope } from './settings/effective-settings.ts';
export { checkOptions, settingsFrom } from './settings/given-options.ts';
export { presetDescriptions } from './settings/preset-descriptions.ts';
export { type Preset, presets } from './settings/presets.ts';
export type { Refusal } from './settings/refusal.ts';
export { refusalText } from './settings/refusal-text.ts';
export { applyControl, changeBetween, isStopped } from './settings/session-settings.ts';
export {
  leftOutText,
  type WideScopes,
  type WideSettings,
  withScope,
  withScopes,
} from './settings/wide-settings.ts';
