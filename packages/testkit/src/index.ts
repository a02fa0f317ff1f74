export { type Authority, createAuthority, type Identity, type IdentityOptions } from './certificates.ts';
export { readWithJava } from './java-consumer.ts';
export { type JavaProduceOptions, produceWithJava } from './java-producer.ts';
export { type StartKafkaOptions, startKafka, type TestKafka } from './kafka-broker.ts';
export {
  type StartClusterOptions,
  startKafkaCluster,
  type TestCluster,
  type TestNode,
} from './kafka-cluster.ts';
export { type HeldFrame, type KafkaApi, KafkaGate } from './kafka-gate.ts';
export { modelReply, pieces, type Said } from './model-replies.ts';
export { type ModelReply, type ModelRequest, type ModelServer, startModelServer } from './model-server.ts';
export { uniqueName } from './names.ts';
export { freePort } from './ports.ts';
export { startPostgres, type TestPostgres } from './postgres.ts';
export { type ReadTopicOptions, readTopic, type TopicRecord } from './read-topic.ts';
export {
  type ApiReply,
  type ApiRequest,
  type ScriptedUpstream,
  startScriptedUpstream,
} from './scripted-upstream.ts';
export { type KafkaUser, type SecureKafka, startSecureKafka } from './secure-kafka.ts';
export { type Completion, loadSmallModel, type SmallModel } from './small-model.ts';
export { type CliProcess, type SpawnCliOptions, spawnCli } from './spawn-cli.ts';
export { type ProxyDirection, startTcpProxy, type TcpProxy, type Valve } from './tcp-proxy.ts';
export { type TempDir, tempDir } from './temp-dir.ts';
export { topicEnds } from './topic-ends.ts';
export { type WaitOptions, waitFor } from './wait-for.ts';
