import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CheckRecord, checkSchema, topicNames, verdictSchema } from '@loopwatch/contract';
import { ensureTopics, topicSpecs } from '@loopwatch/log';
import {
  type Completion,
  freePort,
  loadSmallModel,
  type ModelRequest,
  readTopic,
  type SmallModel,
  spawnCli,
  startModelServer,
  tempDir,
  uniqueName,
} from '@loopwatch/testkit';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';

const files = ['src/main.c', 'src/config.c', 'src/parser.c'];

/** Turns of an agent that reads the same three files in turn and never gets anything done. */
function turns(from: number, to: number): string[] {
  const events = Array.from({ length: to - from + 1 }, (_, i) => {
    const turn = from + i;
    const callId = `call-${String(turn)}`;
    const path = files[turn % files.length];
    return [
      { type: 'turn_started' },
      { type: 'content', text: 'Let me look at that file again before I change anything.' },
      { type: 'tool_call_request', callId, name: 'read_file', args: { path } },
      { type: 'tool_result', callId, result: 'int main(void) { return 1; }' },
    ];
  }).flat();
  const first = from === 1 ? [{ type: 'prompt_started', text: 'Fix the error in every file' }] : [];
  return [...first, ...events].map((event, i) =>
    JSON.stringify({
      id: `e-${String(from)}-${String(i)}`,
      sessionId: 's',
      time: 1_763_757_600_000,
      ...event,
    }),
  );
}

/** A worker process on the broker, whose model answers behind an OpenAI-compatible endpoint. */
async function start(brokers: readonly string[], model: SmallModel) {
  const requests: ModelRequest[] = [];
  const completions: Completion[] = [];
  const server = await startModelServer(async (request) => {
    requests.push(request);
    const completion = await model.complete(request.body);
    completions.push(completion);
    return completion;
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  const prefix = `${uniqueName('small-model')}.`;
  const topics = topicNames({ prefix });
  await ensureTopics({ brokers, clientId: 'test' }, topicSpecs(topics, { partitions: 1 }));
  const port = await freePort();
  const env = {
    KAFKA_BROKERS: brokers.join(','),
    LOOPWATCH_KAFKA_TOPICS_PREFIX: prefix,
    LOOPWATCH_KAFKA_GROUP: prefix,
    LOOPWATCH_WORKER_PORT: String(port),
    LOOPWATCH_LLM_BASE_URL: server.url,
    LOOPWATCH_LLM_MODEL: 'smollm2-135m-instruct',
    // A processor reads a few hundred tokens a second.
    LOOPWATCH_SEMANTIC_HISTORY_TURNS: '4',
    LOOPWATCH_SEMANTIC_MAX_CHARACTERS: '2000',
    LOOPWATCH_SEMANTIC_TIMEOUT_SECONDS: '120',
  };
  const worker = spawnCli(['worker'], env);
  onTestFinished(async () => {
    await worker.stop('SIGKILL');
  });
  await worker.line(/Watching /);
  const dir = await tempDir();
  onTestFinished(() => dir.remove());
  const produce = async (lines: readonly string[]): Promise<void> => {
    const file = join(dir.path, 'events.jsonl');
    await writeFile(file, `${lines.join('\n')}\n`);
    const process = spawnCli(['produce', file], env);
    expect(await process.exited, process.stderr.join('\n')).toBe(0);
  };
  const checks = async (count: number): Promise<CheckRecord[]> => {
    const records = await readTopic(brokers, topics.checks, { count, timeoutMs: 300_000 });
    return records.map(({ value }) => checkSchema.parse(JSON.parse(value ?? '')));
  };
  const verdicts = async () => {
    const records = await readTopic(brokers, topics.verdicts);
    return records
      .map(({ value }) => verdictSchema.parse(JSON.parse(value ?? '')))
      .filter(({ detector, phase }) => detector === 'semantic' && phase === 'opened');
  };
  return { worker, port, requests, completions, produce, checks, verdicts };
}

/** The samples of a page of metrics, by name with labels. */
async function metrics(port: number): Promise<Map<string, number>> {
  const page = await (await fetch(`http://127.0.0.1:${String(port)}/metrics`)).text();
  const samples = page.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    samples.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
  );
}

const intervalAfter = (confidence: number | null) => Math.round(5 + 10 * (1 - confidence!));

describe('a worker with a real model', () => {
  let model: SmallModel;
  beforeAll(async () => {
    model = await loadSmallModel();
  });
  afterAll(() => model[Symbol.asyncDispose]());

  it('requests a check of a long prompt, records the answer, and repeats the check when the answer says so', async () => {
    const { worker, port, requests, completions, produce, checks, verdicts } = await start(
      inject('kafkaBrokers'),
      model,
    );
    await produce(turns(1, 30));
    const [first] = await checks(1);
    await produce(turns(31, 60));
    const [, second] = await checks(2);

    for (const check of [first!, second!]) {
      expect(check).toMatchObject({ sessionId: 's', model: 'smollm2-135m-instruct', failure: null });
      expect(check.confidence).toBeGreaterThanOrEqual(0);
      expect(check.confidence).toBeLessThanOrEqual(1);
      expect(check.analysis).not.toBe('');
    }
    expect(first!.turn).toBe(30);
    expect(second!.turn).toBe(30 + intervalAfter(first!.confidence));

    // The model read what the session holds, and its words are those recorded.
    expect(requests[0]).toMatchObject({
      path: '/v1/chat/completions',
      body: { model: 'smollm2-135m-instruct', response_format: { type: 'json_schema' } },
    });
    expect(requests[0]!.body.messages.at(-1)!.content).toContain('Fix the error in every file');
    expect(JSON.parse(completions[0]!.text)).toEqual({
      analysis: first!.analysis,
      confidence: first!.confidence,
    });
    for (const { usage } of completions) {
      expect(usage.promptTokens).toBeGreaterThan(100);
      expect(usage.completionTokens).toBeGreaterThan(5);
    }

    const samples = await metrics(port);
    const answered = ['loop', 'none'].map(
      (result) => samples.get(`loopwatch_semantic_checks_total{result="${result}"}`) ?? 0,
    );
    const loops = [first!, second!].filter(({ confidence }) => confidence! > 0.9).length;
    expect(answered).toEqual([loops, 2 - loops]);
    expect(samples.get('loopwatch_semantic_check_duration_seconds_count')).toBe(2);
    expect(samples.get('loopwatch_semantic_check_duration_seconds_sum')).toBeGreaterThan(0);
    expect(await verdicts()).toHaveLength(Math.min(loops, 1));
    expect(await worker.stop()).toBe(0);
  });
});
