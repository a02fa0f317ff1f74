import { waitFor } from '@loopwatch/testkit';
import { expect } from 'vitest';
import {
  type EmbeddedLog,
  type OutputRecord,
  openEmbeddedLog,
  type TaskBatch,
  type TaskLane,
} from '../../src/index.ts';
import { text } from './harness.ts';

export const topics = { input: 'in', all: 'out-all', some: 'out-some' };
const REACH = 2;

/**
 * Copies each record, every third one also to a second topic. Its state counts the records, and the last few are replayed, so
 * that each new task can check that outputs, state and position are consistent.
 */
export class Copier {
  readonly #lane: TaskLane;
  readonly #faults: string[];
  readonly #state = new Map<string, string>();
  readonly #replayed: number[] = [];

  constructor(lane: TaskLane, faults: string[]) {
    this.#lane = lane;
    this.#faults = faults;
  }

  restore({ key, value }: { key: string; value: string }): void {
    this.#state.set(key, value);
  }

  replay({ records }: TaskBatch): Promise<void> {
    this.#replayed.push(...records.map(({ offset }) => offset));
    return Promise.resolve();
  }

  ready(position: number): void {
    const seen = Number(this.#state.get('seen') ?? 0);
    const expected = Array.from({ length: REACH }, (_, index) => position - REACH + index);
    if (seen !== position) this.#faults.push(`at ${position} with the state of ${seen}`);
    if (this.#state.has('gone')) this.#faults.push('a deleted entry was restored');
    const wanted = expected.filter((offset) => offset >= 0).join();
    if (this.#replayed.join() !== wanted)
      this.#faults.push(`replayed ${this.#replayed.join()}, not ${wanted}`);
  }

  process({ records, next }: TaskBatch): Promise<void> {
    const outputs: OutputRecord[] = records.flatMap((record) => {
      const value = text(record);
      const copy = { topic: topics.all, key: null, value };
      return record.offset % 3 === 0 ? [copy, { ...copy, topic: topics.some }] : [copy];
    });
    const state = [
      { key: 'seen', value: String(next) },
      { key: 'gone', value: next % 2 === 0 ? null : 'x' },
      { key: 'gone', value: null },
    ];
    void this.#lane
      .commit({ position: next, resumeFrom: Math.max(0, next - REACH), outputs, state })
      .catch(() => undefined);
    return Promise.resolve();
  }

  close(): void {
    this.#state.clear();
  }
}

export async function valuesOf(log: EmbeddedLog, topic: string): Promise<string[]> {
  return (await log.read(topic, 0, Number.MAX_SAFE_INTEGER)).map(text);
}

/** The records written by the copier. */
const copies = (values: readonly string[]) => values.filter((value) => !value.startsWith('foreign'));

export async function caughtUp(log: EmbeddedLog): Promise<void> {
  await waitFor(async () => {
    const input = await valuesOf(log, topics.input);
    const written = [...copies(await valuesOf(log, topics.all)), ...(await valuesOf(log, topics.some))];
    return written.length >= input.length + Math.ceil(input.length / 3);
  });
}

/** Asserts that each record was copied exactly once and in order, and nothing else was written. */
export async function expectCopied(log: EmbeddedLog): Promise<void> {
  const input = await valuesOf(log, topics.input);
  expect(copies(await valuesOf(log, topics.all))).toEqual(input);
  expect(await valuesOf(log, topics.some)).toEqual(input.filter((_, index) => index % 3 === 0));
}

/** One process run: writes and copies records while others write to the same topics, then shuts down cleanly. */
export async function live(
  dir: string,
  name: string,
  records = 4,
  onOpen: (log: EmbeddedLog) => void = () => undefined,
): Promise<void> {
  const faults: string[] = [];
  const log = await openEmbeddedLog({ dir, topics: Object.values(topics) });
  onOpen(log);
  try {
    const sink = log.sink();
    await sink.open();
    const runner = log.tasks([topics.input], 'g');
    await runner.run((_place, lane) => new Copier(lane, faults));
    for (let index = 0; index < records; index += 1) {
      await waitFor(() =>
        sink.publish([{ topic: topics.input, key: null, value: `${name}${index}` }]).then(
          () => true,
          () => false,
        ),
      );
      void sink
        .publish([{ topic: topics.all, key: null, value: `foreign ${name}${index}` }])
        .catch(() => undefined);
      if (index % 2 === 1) await caughtUp(log);
    }
    await caughtUp(log);
    await runner.stop();
    await expectCopied(log);
  } finally {
    await log.close();
  }
  expect(faults).toEqual([]);
}
