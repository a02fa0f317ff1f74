import { type RunHelpers, TestScheduler } from 'rxjs/testing';
import { expect } from 'vitest';
import type { InputRecord, Outcome } from '../../src/records.ts';
import type { EventRecord } from '../../src/stream/decode.ts';

/** Runs a picture: streams drawn as marbles, in virtual time. */
export function marbles(picture: (helpers: RunHelpers) => void): void {
  new TestScheduler((actual, expected) => {
    expect(actual).toEqual(expected);
  }).run(picture);
}

/** An item of the pipeline in a few words, so that a picture shows what it is about. */
export function inWords(item: EventRecord | Outcome): string {
  const offset = String(item.record.offset);
  if (item.type === 'event') return `event of ${item.sessionId} @${offset}`;
  if (item.type === 'dead_letter') return `${item.reason} @${offset}`;
  if (item.type === 'erasure') return `erasure of ${item.sessionId} @${offset}`;
  const { sessionId, phase, count, source } = item.verdict;
  return `${phase} in ${sessionId} at ${String(count)} @${source?.firstOffset ?? '?'}..${source?.offset ?? '?'}`;
}

/** A record whose value is this, a text as it is, anything else as JSON. */
export function record(offset: number, value: unknown, key: string | null = null): InputRecord {
  const text = value === null || typeof value === 'string' ? value : JSON.stringify(value);
  return { offset, timestamp: 0, key, text };
}
