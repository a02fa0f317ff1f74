export { denialText } from '../calls/result-kind.ts';
export { parseJudgeAnswer } from '../detectors/semantic/judge-answer.ts';
export type { SemanticCheck } from '../detectors/semantic/semantic-check.ts';
export { type SemanticLayer, semanticLayer } from '../detectors/semantic/semantic-layer.ts';
export type { PureVerdict } from '../incident/verdict.ts';
export type { Decision, ProposedCall } from '../session/decide.ts';
export type { SessionAnalyzerHandle } from '../session/session-analyzer-handle.ts';
export {
  createToolCallTracker,
  type ToolCallTracker,
  type TrackedCall,
} from '../session/tool-call-tracker.ts';
export { createSessionAnalyzer } from './create-session-analyzer.ts';
