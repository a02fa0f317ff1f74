import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CommitQueue } from '../../src/port/commit-queue.ts';
import type { Step } from '../../src/port/task.ts';

const output = (value: string) => ({ topic: 'out', key: null, value });
const step = (position: number, more: Partial<Step> = {}): Step => ({
  position,
  resumeFrom: 0,
  outputs: [],
  state: [],
  ...more,
});
const urgent = (position: number) => step(position, { outputs: [output(`o${position}`)] });

/** A queue whose writes wait until the test releases them. */
function held() {
  const writes: Step[] = [];
  const waiting: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const lane = new CommitQueue((written) => {
    writes.push(written);
    return new Promise((resolve, reject) => {
      waiting.push({ resolve, reject });
    });
  });
  return { lane, writes, waiting };
}
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('CommitQueue: steps', () => {
  it('are written one at a time, and merged while they wait', async () => {
    const { lane, writes, waiting } = held();
    const done: number[] = [];
    const commit = (one: Step) => lane.commit(one).then(() => done.push(one.position));
    const all = [commit(urgent(1))];
    await settled();
    all.push(commit(step(2, { resumeFrom: 1, state: [{ key: 'a', value: '1' }] })));
    all.push(commit(step(3, { resumeFrom: 2, outputs: [output('x')], state: [{ key: 'a', value: null }] })));
    await settled();
    expect(writes).toHaveLength(1);
    waiting[0]!.resolve();
    await settled();
    expect(done).toEqual([1]);
    expect(writes[1]).toEqual({
      position: 3,
      resumeFrom: 2,
      outputs: [output('x')],
      state: [{ key: 'a', value: null }],
    });
    waiting[1]!.resolve();
    await Promise.all(all);
    expect(done).toEqual([1, 2, 3]);
  });

  it('are rejected when the task fails, except the one that is being written', async () => {
    const { lane, writes, waiting } = held();
    const first = lane.commit(urgent(1));
    await settled();
    const second = lane.commit(urgent(2));
    const reason = new Error('not thought of');
    lane.fail(reason);
    await expect(lane.failed).rejects.toBe(reason);
    await expect(second).rejects.toBe(reason);
    await expect(lane.commit(urgent(3))).rejects.toBe(reason);
    waiting[0]!.resolve();
    await first;
    await lane.drain();
    expect(writes).toHaveLength(1);
  });

  it('make the task wait when too many are queued', async () => {
    const { lane, waiting } = held();
    for (const position of [1, 2]) void lane.commit(urgent(position));
    await settled();
    void lane.commit(urgent(3));
    void lane.commit(urgent(4));
    let room = false;
    const asked = lane.room().then(() => {
      room = true;
    });
    await settled();
    expect(room).toBe(false);
    waiting[0]!.resolve();
    await asked;
    expect(room).toBe(true);
  });

  it('are not written after the first failure', async () => {
    const { lane, writes, waiting } = held();
    const first = lane.commit(urgent(1));
    await settled();
    const second = lane.commit(urgent(2));
    const failure = new Error('fenced');
    waiting[0]!.reject(failure);
    await expect(first).rejects.toBe(failure);
    await expect(second).rejects.toBe(failure);
    await expect(lane.commit(urgent(3))).rejects.toBe(failure);
    await expect(lane.failed).rejects.toBe(failure);
    await lane.room();
    expect(writes).toHaveLength(1);
  });

  it('are all written when `drain` resolves', async () => {
    const { lane, writes, waiting } = held();
    void lane.commit(step(1));
    const drained = lane.drain();
    await settled();
    expect(writes).toMatchObject([{ position: 1 }]);
    waiting[0]!.resolve();
    await drained;
  });

  it('are written when they are queued as soon as the one before is durable', async () => {
    const written: number[] = [];
    const lane = new CommitQueue(({ position }) => {
      written.push(position);
      return Promise.resolve();
    });
    const first = lane.commit(urgent(1));
    const second = first.then(() => lane.commit(urgent(2)));
    await settled();
    expect(written).toEqual([1, 2]);
    await second;
  });

  it('are rejected when the queue is closed', async () => {
    const { lane, writes } = held();
    const waits = lane.commit(step(1));
    lane.close();
    await expect(waits).rejects.toThrow('revoked');
    expect(writes).toEqual([]);
  });
});

describe('CommitQueue: a step without outputs', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is delayed to be merged, but not for long', async () => {
    const { lane, writes } = held();
    void lane.commit(step(1));
    await vi.advanceTimersByTimeAsync(900);
    expect(writes).toEqual([]);
    void lane.commit(step(2));
    await vi.advanceTimersByTimeAsync(200);
    expect(writes).toMatchObject([{ position: 2 }]);
  });

  it('is merged into the next step that has outputs', async () => {
    const { lane, writes } = held();
    void lane.commit(step(1));
    void lane.commit(urgent(2));
    await vi.advanceTimersByTimeAsync(0);
    expect(writes).toMatchObject([{ position: 2, outputs: [{ value: 'o2' }] }]);
  });
});
