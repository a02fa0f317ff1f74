export { canonicalJson } from './canonical-json.ts';
export { asksForHelp, type ChatCommand, chatCommands, withoutChatCommands } from './chat-commands.ts';
export { createSessionAnalyzer } from './create-session-analyzer.ts';
export type { Detection } from './detection.ts';
export { detectorMetas } from './detector-metas.ts';
export { effectiveSettings, type SessionScope } from './effective-settings.ts';
export { detectionOf, planDetection } from './every-family.ts';
export type { Detector, DetectorMeta, Finding, Step } from './finding.ts';
export { type LogLine, turnRequestLines, verdictLines } from './log-lines.ts';
export { maskSecrets } from './mask.ts';
export { oneLine } from './one-line.ts';
export { type MaskPatterns, maskPatterns } from './pattern/mask-patterns.ts';
export type { DetectionPlan } from './plan.ts';
export { type Preset, presets } from './presets.ts';
export { parseJudgeAnswer } from './semantic/judge-answer.ts';
export { type JudgeMessage, judgeAnswerForm } from './semantic/judge-prompt.ts';
export type { SemanticCheck } from './semantic/semantic-check.ts';
export { type SemanticLayer, semanticLayer } from './semantic/semantic-layer.ts';
export type { SessionAccount } from './session-account.ts';
export {
  type Reception,
  SessionAnalyzer,
  type SessionSnapshot,
  snapshotVersion,
} from './session-analyzer.ts';
export type { SessionAnalyzerHandle } from './session-analyzer-handle.ts';
export { applyControl } from './session-settings.ts';
export type { TurnRequest } from './session-step.ts';
export { settingsInForce } from './settings-in-force.ts';
export { sha256 } from './sha256.ts';
export { blockMessage, plainGuidance, stopMessage } from './texts.ts';
export { createToolCallTracker, type ToolCallTracker, type TrackedCall } from './tool-call-tracker.ts';
export { canonicalArguments } from './tool-identity.ts';
export type { PureVerdict } from './verdict.ts';
export {
  leftOutText,
  type WideScopes,
  type WideSettings,
  withScope,
  withScopes,
} from './wide-settings.ts';
