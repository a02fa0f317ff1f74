export type { TurnRequest } from '@loopwatch/detectors';
export { type AskOptions, askJudge, type Judge, JudgeError, type JudgeRequest } from './ask-judge.ts';
export { decodeRecords, type EventRecord } from './decode-records.ts';
export { detectLoops } from './detect-loops.ts';
export type { KeptSession } from './kept-session.ts';
export { LoopPipeline } from './loop-pipeline.ts';
export { PartitionPipeline } from './partition-pipeline.ts';
export { type Checkpoint, PartitionSessions } from './partition-sessions.ts';
export { PipelineTestDriver } from './pipeline-test-driver.ts';
export {
  type DeadLetter,
  type EvictionReason,
  type InputRecord,
  type Outcome,
  type PipelineObserver,
  type Place,
  silentObserver,
  type VerdictOutcome,
} from './records.ts';
export { routeBySession, type SessionEvent } from './route-by-session.ts';
export { type CheckHandling, isOutcome, type LateAnswer, type RaisedCheck } from './semantic-checks.ts';
export type { SessionMarks } from './session-marks.ts';
export type { SessionNews } from './session-news.ts';
export { SessionStore, type SessionStoreOptions } from './session-store.ts';
export { type SettingsVersion, WideSettings } from './wide-settings.ts';
