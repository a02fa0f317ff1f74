export type { TurnRequest } from '@loopwatch/detectors';
export { analyzeSessions } from './analyze-sessions.ts';
export { type AskOptions, askJudge, type Judge, JudgeError, type JudgeRequest } from './ask-judge.ts';
export { decodeRecords, type EventRecord } from './decode-records.ts';
export type { KeptSession } from './kept-session.ts';
export { LoopPipeline } from './loop-pipeline.ts';
export { type Checkpoint, PartitionSessions } from './partition-sessions.ts';
export { PipelineTestDriver } from './pipeline-test-driver.ts';
export {
  type EvictionReason,
  type InputBatch,
  type InputRecord,
  type Outcome,
  type PipelineObserver,
  type Place,
  silentObserver,
  type VerdictOutcome,
} from './records.ts';
export type { CheckHandling, LateAnswer, RaisedCheck } from './semantic-checks.ts';
export type { SessionMarks } from './session-marks.ts';
export type { SessionNews } from './session-news.ts';
export { SessionStore, type SessionStoreOptions } from './session-store.ts';
export { type SettingsVersion, WideSettings } from './wide-settings.ts';
