import { detectionSchema, erasedHeader } from '@loopwatch/contract';
import { expect, it } from 'vitest';
import type { InputRecord } from '../../src/records.ts';
import { LoopPipeline } from '../../src/stream/loop-pipeline.ts';
import { inWords } from './marbles.ts';

const tombstone = (
  offset: number,
  headers: NonNullable<InputRecord['headers']> = { [erasedHeader]: '1' },
): InputRecord => ({
  offset,
  timestamp: 0,
  key: 's-1',
  text: null,
  headers,
});
const call = (offset: number): InputRecord => ({
  offset,
  timestamp: offset,
  key: 's-1',
  text: JSON.stringify({ type: 'tool_call_request', name: 'read_file', args: { path: 'a' } }),
});

async function outcomes(records: readonly InputRecord[]) {
  const pipeline = new LoopPipeline(detectionSchema.parse({}), undefined, undefined, true);
  const partition = pipeline.partition({ topic: 'events', partition: 0 });
  const found: string[] = [];
  await partition.process(records).forEach((outcome) => found.push(inWords(outcome)));
  return { found, summaries: partition.sessions.summaries?.drain(), sessions: pipeline.activeSessions };
}

it('erasure: a session is forgotten, its summaries too, and counts from zero when it begins again', async () => {
  const { found, summaries } = await outcomes([call(0), call(1), tombstone(2), call(3), call(4)]);
  expect(found).toEqual(['erasure of s-1 @2']);
  expect(summaries).toMatchObject({
    erased: ['s-1'],
    summaries: [{ sessionId: 's-1', events: 1 }],
    expired: [],
  });
});

it('erasure: without later events nothing of the session is in memory or published', async () => {
  const { summaries, sessions } = await outcomes([call(0), call(1), tombstone(2)]);
  expect(summaries).toMatchObject({ erased: ['s-1'], summaries: [], expired: [] });
  expect(sessions).toBe(0);
});

it('erasure: a tombstone without the header is a dead letter', async () => {
  expect((await outcomes([tombstone(0, {})])).found).toEqual(['empty_value @0']);
});
