import { describe, expect, it } from 'vitest';
import type { Step } from '../../../src/index.ts';
import { PlainStepWriter } from '../../../src/kafka/task/plain-step-writer.ts';
import { metadataOf } from '../../../src/kafka/task/step-writer.ts';

const topicPartition = { topic: 'events', partition: 3 };
const previous = { position: 10, resumeFrom: 5 };
const step: Step = {
  position: 20,
  resumeFrom: 15,
  outputs: [{ topic: 'verdicts', key: 's', value: 'v' }],
  state: [{ key: 'session/s', value: '{}' }],
};

/** A writer that notes what it does. @param isOwner whether commits are accepted */
function startWriter(isOwner: boolean) {
  const done: string[] = [];
  const sink = {
    publish: (records: readonly { readonly topic: string; readonly value: unknown }[]) => {
      done.push(
        ...records.map(({ topic, value }) => (value === null ? `delete from ${topic}` : `write ${topic}`)),
      );
      return Promise.resolve();
    },
  };
  const commit = ({ offset, metadata }: { offset: string; metadata: string }) => {
    if (!isOwner) return Promise.reject(new Error('not the owner'));
    done.push(`commit ${offset} ${metadata}`);
    return Promise.resolve();
  };
  const state = {
    records: (changes: Step['state']) =>
      changes.map(({ key, value }) => ({ topic: 'state', partition: 3, key, value })),
  };
  return { done, writer: new PlainStepWriter(sink, commit, { topicPartition, groupId: 'g', state }) };
}

const committed = (of: typeof previous) => `commit ${String(of.position)} ${metadataOf(of)}`;

describe('steps at least once', () => {
  it('write the outputs first, and the position last', async () => {
    const { done, writer } = startWriter(true);
    await writer.write(step, previous);
    expect(done).toEqual(['write verdicts', committed(previous), 'write state', committed(step)]);
  });

  it('delete saved state once no position needs it', async () => {
    const { done, writer } = startWriter(true);
    await writer.write({ ...step, outputs: [], state: [{ key: 'session/s', value: null }] }, previous);
    expect(done).toEqual([committed(step), 'delete from state']);
  });

  it('keep an entry that was deleted and written again', async () => {
    const { done, writer } = startWriter(true);
    const state = [{ key: 'session/s', value: null }, ...step.state];
    await writer.write({ ...step, outputs: [], state }, previous);
    expect(done).toEqual([committed(previous), 'write state', committed(step)]);
  });

  it('delete state of another position before they commit one', async () => {
    const { done, writer } = startWriter(true);
    await writer.write({ ...step, outputs: [], state: [{ key: 'session/s', value: null }] });
    expect(done).toEqual(['delete from state', committed(step)]);
  });

  it('overwrite no saved state once another process owns the partition', async () => {
    const { done, writer } = startWriter(false);
    await expect(writer.write(step, previous)).rejects.toThrow('not the owner');
    expect(done).toEqual(['write verdicts']);
  });

  it.each([
    ['saves no state', { ...step, state: [] }, previous, ['write verdicts', committed(step)]],
    ['follows a position without state', step, undefined, ['write verdicts', 'write state', committed(step)]],
  ])('commit once if a step %s', async (_, written, before, expected) => {
    const { done, writer } = startWriter(true);
    await writer.write(written, before);
    expect(done).toEqual(expected);
  });
});
