export { type EmbeddedLog, type EmbeddedLogOptions, openEmbeddedLog } from './embedded-log.ts';
export { LogError, type LogErrorCode, logErrorCodes } from './errors.ts';
export type { KafkaOptions, KafkaSasl } from './kafka-client.ts';
export type { KafkaSourceOptions } from './kafka-member.ts';
export { createKafkaSink, type KafkaSinkOptions } from './kafka-sink.ts';
export { createKafkaSource } from './kafka-source.ts';
export { ensureTopics, type TopicReport, type TopicSpec, topicSpecs } from './kafka-topics.ts';
export type { LogFunction, LogLevel } from './log-function.ts';
export type {
  BatchHandler,
  EventSource,
  LogRecord,
  OutputRecord,
  RecordBatch,
  RecordHeaders,
  SourceObserver,
  VerdictSink,
} from './ports.ts';
