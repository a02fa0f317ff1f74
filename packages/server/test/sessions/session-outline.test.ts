import type { SessionItem } from '@loopwatch/contract/api';
import { maskPatterns } from '@loopwatch/detectors/internal';
import { describe, expect, it } from 'vitest';
import { sessionOutline } from '../../src/sessions/session-outline.ts';
import { MemoryLog } from '../memory-log.ts';
import { topics } from '../running-server.ts';
import { summary } from '../verdicts.ts';

const prices = {
  costOf: ({ costUsd }: { costUsd?: number | null | undefined }) => costUsd ?? undefined,
};

function outlineOf(events: readonly object[], q?: string) {
  const log = new MemoryLog();
  for (const event of events) log.append(topics.events, JSON.stringify(event), { key: 's-1' });
  const source = {
    topic: topics.events,
    partition: 0,
    firstOffset: '0',
    lastOffset: String(events.length - 1),
  };
  const session = summary('s-1', { events: events.length, source });
  const incidents = { ...session.incidents, quiet: 0 };
  const item: SessionItem = { ...session, incidents, state: 'ended', lastActivityAt: 0, updatedAt: 0 };
  return sessionOutline(log.records(), {
    session: item,
    query: { q },
    prices,
    masks: maskPatterns(['ACME-\\d+']),
  });
}

const turn = (i: number, more: object = {}) => ({
  type: 'turn_finished',
  id: `t-${String(i)}`,
  time: i,
  usage: { inputTokens: 10, outputTokens: 5 },
  costUsd: 0.5,
  ...more,
});

describe('the outline of a session', () => {
  it.each([1, 239, 240, 241, 1_000, 5_000])('sums all of %i events in at most 240 bins', async (count) => {
    const { bins, events, complete, unpriced } = await outlineOf(
      Array.from({ length: count }, (_, i) => turn(i)),
    );
    expect({ events, complete, unpriced }).toEqual({ events: count, complete: true, unpriced: false });
    expect(bins.length).toBeLessThanOrEqual(240);
    expect(bins.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(count * 15);
    expect(bins.reduce((sum, { usd }) => sum + usd, 0)).toBe(count / 2);
    const sizes = new Set(bins.slice(1).map(({ index }, i) => index - bins[i]!.index));
    expect(sizes.size).toBeLessThanOrEqual(1);
    expect(bins.every(({ index, time }) => index === time)).toBe(true);
  });

  it('counts calls and failures, skips duplicates, and says what has no price', async () => {
    const call = { type: 'tool_call_request', id: 'c', name: 'ls', args: {} };
    const result = { type: 'tool_result', id: 'r', result: 'x', isError: true };
    const { bins, events, unpriced } = await outlineOf([
      call,
      call,
      result,
      turn(1),
      turn(2, { costUsd: null }),
    ]);
    expect({ events, unpriced }).toEqual({ events: 4, unpriced: true });
    expect(bins.map(({ calls, failed }) => [calls, failed])).toEqual([
      [1, 0],
      [0, 1],
      [0, 0],
      [0, 0],
    ]);
  });

  it('finds text in prompts, answers, calls and results, and nothing that is masked', async () => {
    const events = [
      { type: 'prompt_started', text: 'Fix the Coupon' },
      { type: 'content', text: 'nothing' },
      { type: 'tool_call_request', name: 'grep', args: { pattern: 'coupon' } },
      { type: 'tool_result', result: [{ line: 'const COUPON = ACME-42' }] },
    ];
    const { matches } = await outlineOf(events, 'coupon');
    expect(matches.map(({ index }) => index)).toEqual([0, 2, 3]);
    expect(matches[2]!.text).toContain('‹masked›');
    expect((await outlineOf(events, 'acme-42')).matches).toEqual([]);
  });
});
