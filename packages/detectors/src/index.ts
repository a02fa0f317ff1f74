export { canonicalJson } from './canonical-json.ts';
export { createSessionAnalyzer, type SessionAnalyzerHandle } from './create-session-analyzer.ts';
export { type Detection, detectionOf } from './detection.ts';
export { effectiveSettings, type SessionScope } from './effective-settings.ts';
export type { Detector, DetectorMeta, Finding, Step } from './finding.ts';
export { maskSecrets } from './mask.ts';
export { type DetectionPlan, planDetection } from './plan.ts';
export { type Preset, presets } from './presets.ts';
export { type DetectorKind, detectorKinds } from './registry.ts';
export { parseJudgeAnswer } from './semantic/judge-answer.ts';
export { type JudgeMessage, judgeAnswerForm } from './semantic/judge-prompt.ts';
export type { SemanticCheck } from './semantic/semantic-check.ts';
export {
  type Reception,
  SessionAnalyzer,
  type SessionSnapshot,
  type TurnRequest,
} from './session-analyzer.ts';
export { blockMessage } from './texts.ts';
export { createToolCallTracker, type ToolCallTracker, type TrackedCall } from './tool-call-tracker.ts';
export type { PureVerdict } from './verdict.ts';
