import { ensureTopics } from '@loopwatch/log';
import { readTopic, spawnCli, waitFor } from '@loopwatch/testkit';
import kafkajs from 'kafkajs';
import { beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { collectorRequests } from '../../formats/test/telemetry/collector-requests.ts';
import { ownTopics, publishedIds, worker } from './worker-runs.ts';

const { traces, logs } = collectorRequests;
const sessions = Array.from({ length: 300 }, (_, i) => `c${String(100 + i)}-1`);
/** The request with another conversation id of the same length. */
const ofSession = (request: Buffer, session: string) => {
  const bytes = Buffer.from(request);
  for (let at = bytes.indexOf('conv-1'); at !== -1; at = bytes.indexOf('conv-1', at))
    bytes.write(session, at);
  return bytes;
};

describe('topics of the OpenTelemetry Collector', () => {
  let brokers: string[] = [];
  beforeAll(() => {
    brokers = inject('kafkaBrokers');
  });

  /** Source topics of the test's own, the settings for them, and a producer. */
  async function sourceTopics() {
    const { topics, env } = await ownTopics(brokers);
    const spans = topics.events.replace('events', 'otlp_spans');
    const logRecords = topics.events.replace('events', 'otlp_logs');
    const sources = { [spans]: { format: 'otlp' }, [logRecords]: {} };
    const specs = [spans, logRecords].map((name) => ({ name, partitions: 3, config: {} }));
    await ensureTopics({ brokers, clientId: 'test' }, specs);
    const kafka = new kafkajs.Kafka({ brokers, logLevel: kafkajs.logLevel.NOTHING });
    const producer = kafka.producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner });
    await producer.connect();
    onTestFinished(() => producer.disconnect());
    const settings = { ...env, LOOPWATCH_KAFKA_SOURCES: JSON.stringify(sources) };
    return { topics, spans, logRecords, settings, producer };
  }

  it('OTLP topics: become sessions with loops, each event once although workers are killed', async () => {
    const { topics, spans, settings, producer } = await sourceTopics();
    const encodings = [traces.otlp_proto, traces.otlp_json];
    const messages = sessions.map((session, i) => ({
      key: `trace-${String(i)}`,
      value: ofSession(encodings[i % 2] ?? traces.otlp_proto, session),
    }));
    const first = await worker(settings);
    for (let at = 0; at < messages.length; at += 20) {
      await producer.send({ topic: spans, messages: messages.slice(at, at + 20) });
      // Killed during processing; its partitions are reassigned.
      if (at === 100) await first.stop('SIGKILL');
    }
    const second = await worker(settings);
    const wanted = sessions.flatMap((session) =>
      [1, 2, 3].flatMap((call) => [
        `${session} call:call-${String(call)}`,
        `${session} result:call-${String(call)}`,
      ]),
    );
    const written = await readTopic(brokers, topics.events, { count: wanted.length });
    await publishedIds(brokers, topics.verdicts, sessions.length);
    expect(await second.stop()).toBe(0);
    const events = await readTopic(brokers, topics.events);
    const ids = events.map(({ key, value }) => {
      const { sessionId, id } = JSON.parse(value ?? '') as { sessionId: string; id: string };
      expect(key).toBe(sessionId);
      return `${sessionId} ${id}`;
    });
    expect(written).toHaveLength(wanted.length);
    expect(ids.toSorted()).toEqual(wanted.toSorted());
    const verdicts = await readTopic(brokers, topics.verdicts);
    expect(verdicts.map(({ key }) => key).toSorted()).toEqual(sessions.toSorted());
  });

  it("OTLP topics: agents' logs are recognized by header, and unreadable records become dead letters", async () => {
    const { topics, logRecords, settings, producer } = await sourceTopics();
    const headers = { 'loopwatch-format': 'otlp' };
    await producer.send({
      topic: logRecords,
      messages: [
        { key: null, value: logs.otlp_proto, headers },
        { key: null, value: logs.otlp_json, headers },
        { key: null, value: '{"level":"info"}' },
      ],
    });
    const running = await worker(settings);
    const letters = await readTopic(brokers, topics['dead-letters'], { count: 1 });
    expect(letters[0]).toMatchObject({
      value: '{"level":"info"}',
      headers: { 'loopwatch-error-code': 'unknown_format', 'loopwatch-topic': logRecords },
    });
    const written = await readTopic(brokers, topics.events, { count: 6 });
    expect(new Set(written.map(({ key }) => key))).toEqual(new Set(['s-1']));
    expect(await running.stop()).toBe(0);
  });

  it('OTLP topics: a missing topic or a Loopwatch topic is rejected', async () => {
    const { topics, env } = await ownTopics(brokers);
    const withSource = (name: string) =>
      spawnCli(['worker'], { ...env, LOOPWATCH_KAFKA_SOURCES: JSON.stringify({ [name]: {} }) });
    const missing = withSource('nowhere');
    expect(await missing.exited).toBe(1);
    await waitFor(() => missing.stderr.join('\n').includes('nowhere'));
    const own = withSource(topics.events);
    expect(await own.exited).toBe(2);
    expect(own.stderr.join('\n')).toContain(`sources.${topics.events}`);
  });
});
