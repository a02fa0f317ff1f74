export type { TurnRequest } from '@loopwatch/detectors';
export { analyzeSessions, type Place } from './analyze-sessions.ts';
export { decodeRecords, type EventRecord } from './decode-records.ts';
export { LoopPipeline } from './loop-pipeline.ts';
export { PipelineTestDriver } from './pipeline-test-driver.ts';
export {
  type EvictionReason,
  type InputBatch,
  type InputRecord,
  type Outcome,
  type PipelineObserver,
  silentObserver,
} from './records.ts';
export { PartitionSessions, SessionStore, type SessionStoreOptions } from './session-store.ts';
