import {
  type CliProcess,
  freePort,
  spawnCli,
  startKafka,
  startPostgres,
  type TestKafka,
  type TestPostgres,
  tempDir,
  uniqueName,
} from '@loopwatch/testkit';
import { test as base } from '@playwright/test';
import kafkajs from 'kafkajs';

/** Loopwatch as in production: a worker and a server, each in its own process, with a real Kafka. */
export interface Stack {
  readonly url: string;
  /**
   * Sends the same tool call several times in each session, as looping agents do; each agent has the name of its
   * session.
   */
  call(name: string, times: number, ...sessions: readonly string[]): Promise<void>;
  stopServer(): Promise<void>;
  /** With the same port and database as before. */
  startServer(): Promise<void>;
}

export type Storage = 'PGlite' | 'PostgreSQL';

interface Shared {
  /** One broker for all tests; a test that stops it restarts it. */
  readonly kafka: TestKafka;
  readonly postgres: TestPostgres;
}

export const test = base.extend<{ readonly storage: Storage; readonly stack: Stack }, Shared>({
  kafka: [
    async ({}, use) => {
      await using kafka = await startKafka({ own: true, quickStart: true });
      await use(kafka);
    },
    { scope: 'worker', timeout: 900_000 },
  ],
  postgres: [
    async ({}, use) => {
      const postgres = await startPostgres();
      await use(postgres);
      await postgres.stop();
    },
    { scope: 'worker', timeout: 900_000 },
  ],
  storage: ['PGlite', { option: true }],
  stack: [
    async ({ kafka, postgres, storage }, use) => {
      await using folder = await tempDir();
      const prefix = `${uniqueName('e2e')}.`;
      const port = String(await freePort());
      const env = {
        KAFKA_BROKERS: kafka.brokers.join(','),
        LOOPWATCH_KAFKA_TOPICS_PREFIX: prefix,
        LOOPWATCH_KAFKA_GROUP: prefix,
        ...(storage === 'PostgreSQL' && { DATABASE_URL: await postgres.createDatabase() }),
      };
      const run = (...args: string[]) => spawnCli(args, env, { from: 'build' });
      const topics = run('topics', '--partitions', '3');
      if ((await topics.exited) !== 0) throw new Error(`No topics: ${topics.stderr.join('\n')}`);

      await using worker = run('worker', '--port', '0');
      let server: CliProcess | undefined;
      const stopServer = async () => {
        await server?.stop();
        server = undefined;
      };
      const startServer = async () => {
        server = run('server', '--port', port, '--data-dir', folder.path);
        await server.line(/Loopwatch .* is at http/);
      };
      const client = new kafkajs.Kafka({ brokers: kafka.brokers, logLevel: kafkajs.logLevel.NOTHING });
      const producer = client.producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner });
      try {
        await Promise.all([startServer(), worker.line(/Watching /), producer.connect()]);
        await use({
          url: `http://localhost:${port}`,
          call: async (name, times, ...sessions) => {
            const call = { type: 'tool_call_request', name, args: { host: 'a' } };
            const messages = sessions.flatMap((key) => {
              const value = JSON.stringify({ ...call, agent: key });
              return Array.from({ length: times }, () => ({ key, value }));
            });
            await producer.send({ topic: `${prefix}events`, messages });
          },
          stopServer,
          startServer,
        });
      } finally {
        await producer.disconnect();
        await stopServer();
      }
    },
    { timeout: 900_000 },
  ],
});
