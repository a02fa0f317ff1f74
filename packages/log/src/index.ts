export { type EmbeddedLog, type EmbeddedLogOptions, openEmbeddedLog } from './embedded/log.ts';
export { type RepairedLog, repairEmbeddedLog } from './embedded/repair.ts';
export type { KafkaOptions, KafkaPasswordLogin, KafkaSasl } from './kafka/client/client.ts';
export { KafkaOutageLog } from './kafka/client/outage-log.ts';
export { canCompress } from './kafka/codecs/codecs.ts';
export { checkDurability, type Durability } from './kafka/diagnose/durability.ts';
export type { DurabilityRisk } from './kafka/diagnose/durability-risks.ts';
export { grantCommand, type KafkaRight, missingRights, requireRights } from './kafka/diagnose/rights.ts';
export { ensureTopics, topicSpecs } from './kafka/diagnose/topics.ts';
export { createKafkaRecordReader } from './kafka/fetch/record-reader.ts';
export { createKafkaTopicReader } from './kafka/fetch/topic-reader.ts';
export { type ClientCredentials, clientCredentialTokens } from './kafka/login/client-credentials.ts';
export { mskIamTokens } from './kafka/login/msk-iam.ts';
export { createKafkaSink } from './kafka/produce/sink.ts';
export { checkRegistry } from './kafka/registry/check-registry.ts';
export type { SchemaRegistryOptions } from './kafka/registry/registry-client.ts';
export { createValueDecoder } from './kafka/registry/schema-decoder.ts';
export { createKafkaTaskRunner, type KafkaTaskRunnerOptions } from './kafka/task/task-runner.ts';
export { deadLetter, SMALL_LETTER_BYTES } from './port/dead-letter.ts';
export { LogError, type LogErrorCode } from './port/errors.ts';
export type { LogRecord, OutputRecord, RecordHeaders, RecordSink } from './port/records.ts';
export { BytesRecord } from './port/records.ts';
export type {
  FetchTimes,
  OpenTask,
  PartitionPosition,
  PartitionTask,
  Recovery,
  StateChange,
  Step,
  StepPosition,
  TaskBatch,
  TaskLane,
  TaskObserver,
  TaskRunner,
  TopicPartition,
} from './port/task.ts';
export type {
  Bounds,
  RecordReader,
  TopicHandler,
  TopicReader,
  TopicReadOptions,
} from './port/topic-reader.ts';
export { type DecodedValue, namesSchema, type ValueDecoder } from './port/value-decoder.ts';
