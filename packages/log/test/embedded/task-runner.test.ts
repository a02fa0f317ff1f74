import { waitFor } from '@loopwatch/testkit';
import { describe, expect, it } from 'vitest';
import type {
  EmbeddedLog,
  OpenTask,
  PartitionTask,
  Recovery,
  Step,
  TaskBatch,
  TaskLane,
  TaskObserver,
} from '../../src/index.ts';
import { folder, openLog, publish, text, topic, values } from './harness.ts';

const verdicts = 'loopwatch.verdicts';
const topicPartition = { topic, partition: 0 };

/** Records the calls of the tasks of a runner. */
class Recorder {
  readonly calls: string[] = [];
  readonly recovered: Recovery[] = [];
  readonly notices: string[] = [];
  committed = 0;
  lane: TaskLane | undefined;
  /** The step of a batch; copies its records by default. */
  step: (batch: TaskBatch) => Step | undefined = ({ records, next }) => ({
    position: next,
    resumeFrom: next,
    outputs: records.map((record) => ({ topic: verdicts, key: null, value: text(record) })),
    state: [{ key: 'last', value: text(records.at(-1)!) }],
  });

  readonly open: OpenTask = (_place, lane): PartitionTask => {
    this.lane = lane;
    return {
      restore: ({ key, value }) => this.calls.push(`restore ${key}=${value}`),
      replay: ({ records }) => {
        this.calls.push(`replay ${records.map(text).join()}`);
        return Promise.resolve();
      },
      ready: (position) => this.calls.push(`ready ${position}`),
      process: (batch) => {
        this.calls.push(`process ${batch.records.map(text).join()}`);
        const step = this.step(batch);
        if (step !== undefined) {
          lane.commit(step).then(
            () => (this.committed += 1),
            () => undefined,
          );
        }
        return Promise.resolve();
      },
      close: () => this.calls.push('close'),
    };
  };

  readonly observer: TaskObserver = {
    onAssignment: (places, change) => this.notices.push(`assigned ${JSON.stringify([places, change])}`),
    onRecovered: (recovery) => this.recovered.push(recovery),
    onInterrupted: (_place, reason) => this.notices.push(`interrupted: ${reason}`),
    onDrained: () => this.notices.push('drained'),
    onConnection: (state, reason) =>
      this.notices.push(`${state}${reason === undefined ? '' : `: ${reason}`}`),
  };
}

async function start(log: EmbeddedLog, group = 'g', recorder = new Recorder()) {
  const runner = log.tasks([topic], group);
  await runner.run(recorder.open, recorder.observer);
  return { runner, recorder };
}

describe('EmbeddedTaskRunner: a task', () => {
  it('processes existing and new records, and resumes at its position after a restart', async () => {
    const dir = await folder();
    const log = await openLog(dir);
    await publish(log, 'a', 'b');
    const { runner, recorder } = await start(log);
    await waitFor(() => recorder.committed === 1);
    await publish(log, 'c');
    await waitFor(() => recorder.committed === 2);
    await runner.stop();
    expect(recorder.calls).toEqual(['ready 0', 'process a,b', 'process c', 'close']);
    expect(recorder.notices).toEqual([
      'up',
      `assigned ${JSON.stringify([[topicPartition], { arrived: 1, left: 0 }])}`,
      'drained',
    ]);
    await log.close();

    const again = await openLog(dir);
    await publish(again, 'd');
    const { recorder: second } = await start(again);
    await waitFor(() => second.committed === 1);
    expect(second.calls).toEqual(['restore last=c', 'ready 3', 'process d']);
    expect(second.recovered).toMatchObject([{ ...topicPartition, restored: 1, replayed: 0, position: 3 }]);
    expect(await values(again, verdicts)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('replays records from resumeFrom up to the position, and none after it', async () => {
    const dir = await folder();
    const log = await openLog(dir);
    await publish(log, 'a', 'b', 'c');
    const recorder = new Recorder();
    recorder.step = ({ next }) => ({ position: next, resumeFrom: 1, outputs: [], state: [] });
    await start(log, 'g', recorder);
    await waitFor(() => recorder.calls.includes('process a,b,c'));
    // A step without outputs is delayed, but closing commits it at once.
    await log.close();
    const again = await openLog(dir);
    await publish(again, 'd');
    const { recorder: second } = await start(again);
    await waitFor(() => second.committed === 1);
    expect(second.calls).toEqual(['replay b,c', 'ready 3', 'process d']);
  });

  it('deletes state entries, and keeps the last value of the others', async () => {
    const dir = await folder();
    const log = await openLog(dir);
    const recorder = new Recorder();
    recorder.step = ({ records, next }) => {
      const state = records.map((record) => {
        const [key = '', value] = text(record).split('=');
        return { key, value: value ?? null };
      });
      return { position: next, resumeFrom: next, outputs: [], state };
    };
    await start(log, 'g', recorder);
    await publish(log, 'a=1', 'b=1', 'c=1');
    await waitFor(() => recorder.committed === 1);
    await publish(log, 'b=2', 'c', 'd=1', 'd');
    await waitFor(() => recorder.committed === 2);
    await log.close();
    const { recorder: second } = await start(await openLog(dir));
    await waitFor(() => second.recovered.length === 1);
    expect(second.calls).toEqual(['restore a=1', 'restore b=2', 'ready 7']);
  });

  it('commits its queued steps before it stops, and nothing afterwards', async () => {
    const log = await openLog(await folder());
    const { runner, recorder } = await start(log);
    await waitFor(() => recorder.recovered.length === 1);
    await publish(log, 'a');
    await waitFor(() => recorder.calls.includes('process a'));
    await runner.stop();
    expect(recorder.committed).toBe(1);
    const step: Step = { position: 1, resumeFrom: 1, outputs: [], state: [] };
    await expect(recorder.lane?.commit(step)).rejects.toMatchObject({ code: 'partition_lost' });
    await publish(log, 'b');
    expect(await values(log, verdicts)).toEqual(['a']);
    await expect(runner.run(recorder.open)).rejects.toMatchObject({ code: 'log_closed' });
  });

  it('restarts from the last committed step after a failure', async () => {
    const log = await openLog(await folder());
    const recorder = new Recorder();
    const { step } = recorder;
    let failed = false;
    recorder.step = (batch) => {
      if (text(batch.records[0]!) === 'b' && !failed) {
        failed = true;
        throw new Error('no');
      }
      return step(batch);
    };
    await start(log, 'g', recorder);
    await publish(log, 'a');
    await waitFor(() => recorder.committed === 1);
    await publish(log, 'b');
    await waitFor(() => recorder.committed === 2);
    expect(recorder.calls).toEqual([
      ...['ready 0', 'process a', 'process b', 'close'],
      ...['restore last=a', 'ready 1', 'process b'],
    ]);
    expect(recorder.notices.slice(2)).toEqual(['interrupted: no']);
    expect(await values(log, verdicts)).toEqual(['a', 'b']);
  });

  it('restarts only after the batch in progress has finished', async () => {
    const log = await openLog(await folder());
    const recorder = new Recorder();
    const { step } = recorder;
    recorder.step = (batch) => {
      const made = step(batch);
      return made && { ...made, outputs: [{ topic: 'nope', key: null, value: 'x' }] };
    };
    let finish: () => void = () => undefined;
    const runner = log.tasks([topic], 'g');
    await runner.run((place_, lane) => {
      const task = recorder.open(place_, lane);
      return {
        ...task,
        process: async (batch) => {
          await task.process(batch);
          await new Promise<void>((resolve) => {
            finish = resolve;
          });
          recorder.calls.push('processed');
        },
      };
    }, recorder.observer);
    await publish(log, 'a');
    // The step has failed while the batch is still being processed.
    await waitFor(() => recorder.notices.some((line) => line.startsWith('down')));
    recorder.step = step;
    finish();
    await waitFor(() => recorder.committed === 1);
    finish();
    await runner.stop();
    expect(recorder.calls).toEqual([
      ...['ready 0', 'process a', 'close', 'processed'],
      ...['ready 0', 'process a', 'processed', 'close'],
    ]);
  });

  it('reports a step that cannot be written, and when writing works again', async () => {
    const log = await openLog(await folder());
    const recorder = new Recorder();
    const { step } = recorder;
    let known = false;
    recorder.step = (batch) => {
      const made = step(batch);
      const outputs = [{ topic: known ? verdicts : 'nope', key: null, value: 'x' }];
      known = true;
      return made && { ...made, outputs };
    };
    await start(log, 'g', recorder);
    await publish(log, 'a');
    await waitFor(() => recorder.committed === 1);
    const reason = /Topic nope does not exist/;
    expect(recorder.notices.slice(2)).toEqual([
      expect.stringMatching(reason),
      expect.stringMatching(reason),
      'up',
    ]);
    expect(recorder.notices[2]).toMatch(/^down: /);
    expect(recorder.notices[3]).toMatch(/^interrupted: /);
    expect(await values(log, verdicts)).toEqual(['x']);
  });

  it('writes outputs larger than maxRecordBytes', async () => {
    const log = await openLog(await folder(), { maxRecordBytes: 1_000 });
    const { recorder } = await start(log);
    const { step } = recorder;
    recorder.step = (batch) => {
      const made = step(batch);
      return (
        made && { ...made, outputs: made.outputs.map((output) => ({ ...output, value: 'x'.repeat(2_000) })) }
      );
    };
    await publish(log, 'a');
    await waitFor(() => recorder.committed === 1);
    expect(await values(log, verdicts)).toEqual(['x'.repeat(2_000)]);
  });

  it('preserves keys, headers, timestamps and binary values of outputs', async () => {
    const log = await openLog(await folder());
    const recorder = new Recorder();
    const value = Buffer.from([0xff, 0, 0x80]);
    const output = { topic: verdicts, key: value, value, headers: { 'x-é': value }, timestamp: 5 };
    recorder.step = ({ next }) => ({ position: next, resumeFrom: next, outputs: [output], state: [] });
    await start(log, 'g', recorder);
    await publish(log, 'a');
    await waitFor(() => recorder.committed === 1);
    expect(await log.read(verdicts, 0, 1)).toEqual([
      { offset: 0, key: value, value, headers: { 'x-é': value }, timestamp: 5 },
    ]);
  });
});

describe('EmbeddedTaskRunner: a group', () => {
  it('has one runner per topic at a time', async () => {
    const log = await openLog(await folder());
    const { runner } = await start(log);
    await expect(start(log)).rejects.toMatchObject({ code: 'group_in_use' });
    await start(log, 'other');
    await runner.stop();
    await runner.stop();
    const { runner: third } = await start(log);
    // A stopped runner must not take the topic from its successor.
    await runner.stop();
    await expect(start(log)).rejects.toMatchObject({ code: 'group_in_use' });
    await third.stop();
  });

  it('keeps the progress of its topics separate', async () => {
    const dir = await folder();
    const log = await openLog(dir, { topics: [topic, 'more', verdicts] });
    const recorder = new Recorder();
    const runner = log.tasks([topic, 'more'], 'g');
    await runner.run(recorder.open, recorder.observer);
    await publish(log, 'a', { topic: 'more', key: null, value: 'b' });
    await waitFor(() => recorder.committed === 2);
    await publish(log, 'c');
    await waitFor(() => recorder.committed === 3);
    await log.close();
    const again = await openLog(dir, { topics: [topic, 'more', verdicts] });
    const second = new Recorder();
    await again.tasks(['more'], 'g').run(second.open, second.observer);
    await waitFor(() => second.recovered.length === 1);
    expect(second.calls).toEqual(['restore last=b', 'ready 1']);
    expect((await values(again, verdicts)).sort()).toEqual(['a', 'b', 'c']);
  });
});

it('EmbeddedTaskRunner: restores a task state of thousands of entries', async () => {
  const dir = await folder();
  const log = await openLog(dir);
  const recorder = new Recorder();
  const state = Array.from({ length: 2_500 }, (_, index) => ({ key: String(index), value: 'x' }));
  recorder.step = ({ next }) => ({
    position: next,
    resumeFrom: next,
    outputs: [],
    state: next === 1 ? state : [{ key: '0', value: 'y' }],
  });
  await start(log, 'g', recorder);
  await publish(log, 'a');
  await waitFor(() => recorder.committed === 1);
  await publish(log, 'b');
  await waitFor(() => recorder.committed === 2);
  await log.close();
  const { recorder: second } = await start(await openLog(dir));
  await waitFor(() => second.recovered.length === 1);
  expect(second.recovered[0]).toMatchObject({ restored: 2_500, position: 2 });
  expect(second.calls).toContain('restore 0=y');
  expect(second.calls).toContain('restore 2499=x');
});

it('EmbeddedTaskRunner: keeps committed progress when an output topic is removed from the settings', async () => {
  const dir = await folder();
  const log = await openLog(dir);
  const { recorder } = await start(log);
  await publish(log, 'a');
  await waitFor(() => recorder.committed === 1);
  await log.close();
  await (await openLog(dir, { topics: [topic] })).close();
  expect(await values(await openLog(dir), verdicts)).toEqual(['a']);
});
