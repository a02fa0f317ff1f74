export { type StartKafkaOptions, startKafka, type TestKafka } from './kafka-broker.ts';
export { uniqueName } from './names.ts';
export { freePort } from './ports.ts';
export { type ReadTopicOptions, readTopic, type TopicRecord } from './read-topic.ts';
export { type CliProcess, type SpawnCliOptions, spawnCli } from './spawn-cli.ts';
export { type TempDir, tempDir } from './temp-dir.ts';
export { type WaitOptions, waitFor } from './wait-for.ts';
