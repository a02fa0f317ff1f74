import { detectionSchema } from '@loopwatch/contract';
import { type EmbeddedLog, openEmbeddedLog } from '@loopwatch/log';
import { tempDir, waitFor } from '@loopwatch/testkit';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ModelClient, Worker } from '../src/index.ts';
import { PartitionSessions } from '../src/sessions/partition-sessions.ts';
import { SummaryCollector } from '../src/sessions/summaries.ts';
import { metric, topics } from './fakes.ts';
import {
  before,
  change,
  decodingRunner,
  installFault,
  letterInWords,
  loops,
  POISON_OFFSET,
  stages,
  verdictInWords,
} from './faults.ts';

async function openLog(): Promise<EmbeddedLog> {
  const dir = await tempDir();
  const log = await openEmbeddedLog({ dir: dir.path, topics: Object.values(topics) });
  onTestFinished(async () => {
    await log.close();
    await dir.remove();
  });
  return log;
}

async function startOn(log: EmbeddedLog, model?: ModelClient) {
  const registry = new Registry();
  const runner = decodingRunner(log.tasks([topics.events], 'workers'));
  const worker = new Worker({
    runner,
    system: 'kafka',
    topics,
    detection: detectionSchema.parse({
      preset: 'stream',
      tool_call_loop: { max_repeats: 3 },
      semantic: { after_turns: 1 },
    }),
    registry,
    logger: pino({ level: 'silent' }),
    model,
    summaryIntervalMs: 20,
  });
  onTestFinished(() => worker.stop());
  await worker.start();
  return { worker, registry, runner };
}

async function publish(log: EmbeddedLog, records: ReturnType<typeof loops>): Promise<void> {
  const sink = log.sink();
  await sink.open();
  await sink.publish(records);
  await sink.close();
}

const read = async (log: EmbeddedLog, topic: string) => log.read(topic, 0, Number.MAX_SAFE_INTEGER);
const verdicts = async (log: EmbeddedLog) => (await read(log, topics.verdicts)).map(verdictInWords);
const letters = async (log: EmbeddedLog) => (await read(log, topics['dead-letters'])).map(letterInWords);
const opened = ['a opened', 'b opened'];

describe.each(stages)('a fault in %s', (_, install) => {
  it('is retried: if it happened once, nothing is lost', async () => {
    const log = await openLog();
    const struck = installFault(install, 1);
    await publish(log, loops(topics.events));
    const { registry, runner } = await startOn(log);
    await waitFor(async () => (await runner.positions())[0]?.position === 7);
    expect(await verdicts(log)).toEqual(opened);
    expect(await letters(log)).toEqual([]);
    expect(struck()).toBe(1);
    expect(await metric(registry, 'loopwatch_detection_faults_total')).toBe(1);
  });

  it('makes its record a dead letter if it stays, which costs no verdict, nor does the next owner', async () => {
    const log = await openLog();
    const struck = installFault(install, Infinity);
    await publish(log, loops(topics.events));
    const { worker, runner } = await startOn(log);
    await waitFor(async () => (await runner.positions())[0]?.position === 7);
    expect(await verdicts(log)).toEqual(opened);
    expect(await letters(log)).toEqual([`processing_failed ${String(POISON_OFFSET)} not thought of`]);
    expect(struck()).toBeGreaterThan(1);

    await worker.stop();
    await publish(log, [change(topics.events)]);
    const next = await startOn(log);
    await waitFor(async () => (await next.runner.positions())[0]?.position === 8);
    expect(await verdicts(log)).toEqual([...opened, 'a resolved']);
    expect(await letters(log)).toHaveLength(1);
  });
});

describe('a fault that no record causes', () => {
  const judge: ModelClient = {
    model: 'judge',
    secondModel: null,
    ask: () => Promise.resolve({ text: JSON.stringify({ analysis: 'fine', confidence: 0.1 }), tokens: null }),
  };

  it.each([
    ['in a tick of summaries, once', 1],
    ['in every tick of summaries', Infinity],
  ])('%s: the partition goes on', async (_, times) => {
    const log = await openLog();
    const struck = installFault(
      (strike) => before(SummaryCollector.prototype, 'summarizeChanges', strike),
      times,
    );
    const { runner } = await startOn(log);
    await waitFor(() => struck() > 0);
    await publish(log, loops(topics.events));
    await waitFor(async () => (await runner.positions())[0]?.position === 7);
    expect(await verdicts(log)).toEqual(opened);
    expect(await letters(log)).toEqual([]);
  });

  it.each([
    ['in an answer of the judge, once: it is asked again', 1, 1],
    ['in every answer of the judge: the partition goes on', Infinity, 0],
  ])('%s', async (_, times, recorded) => {
    const log = await openLog();
    const struck = installFault((strike) => {
      before(PartitionSessions.prototype, 'noteCheck', strike);
    }, times);
    await publish(log, loops(topics.events));
    const { runner } = await startOn(log, judge);
    await waitFor(async () => (await runner.positions())[0]?.position === 7 && struck() > 0);
    await publish(log, [change(topics.events)]);
    await waitFor(async () => (await runner.positions())[0]?.position === 8);
    await waitFor(async () => (await read(log, topics.checks)).length === recorded);
    expect(await verdicts(log)).toEqual([...opened, 'a resolved']);
    expect(await letters(log)).toEqual([]);
  });
});
