export type { TurnRequest } from '@loopwatch/detectors';
export { type AskOptions, askJudge, type Judge, JudgeError, type JudgeRequest } from './ask-judge.ts';
export { LoopPipeline } from './loop-pipeline.ts';
export {
  decodeRecords,
  detectLoops,
  type EventRecord,
  isOutcome,
  PartitionPipeline,
} from './partition-pipeline.ts';
export { type Checkpoint, PartitionSessions, ReplayBudget } from './partition-sessions.ts';
export { PipelineTestDriver } from './pipeline-test-driver.ts';
export {
  type DeadLetter,
  type EvictionReason,
  type InputRecord,
  type Outcome,
  type PipelineObserver,
  type RaisedCheck,
  silentObserver,
  type TopicPartition,
  type VerdictOutcome,
} from './records.ts';
export { type CheckHandling, type LateAnswer } from './semantic-checks.ts';
export type { StoredSession, SummaryState } from './session-entry.ts';
export { SessionStore, type SessionStoreOptions } from './session-store.ts';
export type { SessionSummaries } from './session-summaries.ts';
export { type SettingsVersion, WideSettings } from './wide-settings.ts';
