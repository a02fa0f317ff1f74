export { cachedFolder } from './cached-folder.ts';
export { edgeBundle } from './edge-bundle.ts';
export { javaProgram } from './java-program.ts';
export { createAuthority } from './kafka/certificates.ts';
export { readWithJava } from './kafka/java-consumer.ts';
export { produceWithJava } from './kafka/java-producer.ts';
export { startKafka, type TestKafka } from './kafka/kafka-broker.ts';
export { startKafkaCluster, type TestCluster, type TestNode } from './kafka/kafka-cluster.ts';
export { type HeldFrame, type KafkaApi, KafkaGate } from './kafka/kafka-gate.ts';
export { requireJars } from './kafka/kafka-runner.ts';
export { readTopic, type TopicRecord } from './kafka/read-topic.ts';
export { type SchemaRegistry, startSchemaRegistry } from './kafka/schema-registry.ts';
export { type SecureKafka, startSecureKafka } from './kafka/secure-kafka.ts';
export { type ProxyDirection, startTcpProxy, type TcpProxy, type Valve } from './kafka/tcp-proxy.ts';
export { startTokenIssuer } from './kafka/token-issuer.ts';
export { startTokenKafka, type TokenKafka } from './kafka/token-kafka.ts';
export { topicEnds } from './kafka/topic-ends.ts';
export { type ModelOutput, modelReply } from './model/model-replies.ts';
export {
  type ModelReply,
  type ModelRequest,
  type ModelServer,
  startModelServer,
} from './model/model-server.ts';
export {
  type ApiReply,
  type ApiRequest,
  type ScriptedUpstream,
  startScriptedUpstream,
} from './model/scripted-upstream.ts';
export { type Completion, loadSmallModel, type SmallModel } from './model/small-model.ts';
export { uniqueName } from './names.ts';
export { npmEnvironment } from './npm-environment.ts';
export { type CollectedSpan, type OtlpCollector, startOtlpCollector } from './otlp/otlp-collector.ts';
export { seriesOfMetrics, seriesOfText } from './otlp/prometheus-series.ts';
export { freePort } from './ports.ts';
export { startPostgres, type TestPostgres } from './postgres.ts';
export { postgresTools } from './postgres-tools.ts';
export { clientsPython, pythonWith } from './python-environment.ts';
export { type CliProcess, spawnCli } from './spawn-cli.ts';
export { type TempDir, tempDir } from './temp-dir.ts';
export { waitFor } from './wait-for.ts';
export { zstdFrame } from './zstd-frame.ts';
