export { parseJudgeAnswer } from './detectors/semantic/judge-answer.ts';
export { type JudgeMessage, judgeAnswerForm } from './detectors/semantic/judge-prompt.ts';
export type { SemanticCheck } from './detectors/semantic/semantic-check.ts';
export { type SemanticLayer, semanticLayer } from './detectors/semantic/semantic-layer.ts';
export type { ProposedCall } from './incident/call-key.ts';
export type { PureVerdict } from './incident/verdict.ts';
export { createSessionAnalyzer } from './session/create-session-analyzer.ts';
export type { Decision } from './session/decide.ts';
export type { SessionAnalyzerHandle } from './session/session-analyzer-handle.ts';
export type { SessionSnapshot } from './session/session-snapshot.ts';
export {
  createToolCallTracker,
  type ToolCallTracker,
  type TrackedCall,
} from './session/tool-call-tracker.ts';
