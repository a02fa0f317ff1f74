export { BytesRecord } from './bytes-record.ts';
export type { DurabilityRisk } from './durability-risks.ts';
export { lockFolder } from './embedded-lock.ts';
export { type EmbeddedLog, type EmbeddedLogOptions, openEmbeddedLog } from './embedded-log.ts';
export { type RepairPlan, repairEmbeddedLog } from './embedded-repair.ts';
export { LogError, type LogErrorCode, logErrorCodes } from './errors.ts';
export type { KafkaOptions, KafkaSasl } from './kafka-client.ts';
export { checkDurability, type Durability } from './kafka-durability.ts';
export { KafkaOutageLog } from './kafka-outage-log.ts';
export { createKafkaRecordReader } from './kafka-record-reader.ts';
export { grantCommand, type KafkaRight, missingRights, requireRights } from './kafka-rights.ts';
export { createKafkaSink, type KafkaSinkOptions } from './kafka-sink.ts';
export { createKafkaTaskRunner, type KafkaTaskRunnerOptions } from './kafka-task-runner.ts';
export { createKafkaTopicReader } from './kafka-topic-reader.ts';
export {
  ensureTopics,
  partitionCount,
  type TopicReport,
  type TopicSpec,
  topicSpecs,
} from './kafka-topics.ts';
export type { LogFunction, LogLevel } from './log-function.ts';
export type {
  LogRecord,
  OutputRecord,
  RecordHeaders,
  Rejection,
  VerdictSink,
} from './ports.ts';
export { closeToOthers, createFolder } from './private-folder.ts';
export type {
  OpenTask,
  PartitionPosition,
  PartitionTask,
  Place,
  Recovery,
  StateChange,
  Step,
  TaskBatch,
  TaskLane,
  TaskObserver,
  TaskRunner,
} from './task.ts';
export { atMost, backoff, delay, within } from './timing.ts';
export type {
  Bounds,
  RecordRange,
  RecordReader,
  TopicHandler,
  TopicReader,
  TopicReadOptions,
} from './topic-reader.ts';
