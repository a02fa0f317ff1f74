export { parseJudgeAnswer } from '../semantic/judge-answer.ts';
export type { SemanticCheck } from '../semantic/semantic-check.ts';
export { type SemanticLayer, semanticLayer } from '../semantic/semantic-layer.ts';
export type { SessionAnalyzerHandle } from '../session-analyzer-handle.ts';
export { createToolCallTracker, type ToolCallTracker, type TrackedCall } from '../tool-call-tracker.ts';
export type { PureVerdict } from '../verdict.ts';
export { createSessionAnalyzer } from './create-session-analyzer.ts';
