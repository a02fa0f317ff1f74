export { type StartKafkaOptions, startKafka, type TestKafka } from './kafka-broker.ts';
export { type ModelReply, type ModelRequest, type ModelServer, startModelServer } from './model-server.ts';
export { uniqueName } from './names.ts';
export { freePort } from './ports.ts';
export { type ReadTopicOptions, readTopic, type TopicRecord } from './read-topic.ts';
export { type CliProcess, type SpawnCliOptions, spawnCli } from './spawn-cli.ts';
export { type TempDir, tempDir } from './temp-dir.ts';
export { type WaitOptions, waitFor } from './wait-for.ts';
