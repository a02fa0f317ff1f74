import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CallBudget, LimitedJudge, type ModelClient } from '../../src/index.ts';
import { JudgeError } from '../../src/semantic/ask-judge.ts';

const unlimited = { maxConcurrent: Infinity, perMinute: Infinity, perSession: Infinity };

describe('call budget', () => {
  const budget = (limits: Partial<typeof unlimited>) => {
    const clock = { now: 0 };
    return { clock, budget: new CallBudget({ ...unlimited, ...limits }, () => clock.now) };
  };

  it('call budget: limits concurrent calls', () => {
    const { budget: calls } = budget({ maxConcurrent: 2 });
    expect(['a', 'b', 'c'].map((session) => calls.admit(session))).toEqual(['run', 'run', 'wait']);
    calls.done();
    expect(calls.admit('c')).toBe('run');
  });

  it('call budget: limits any sixty seconds, not clock minutes', () => {
    const { budget: calls, clock } = budget({ perMinute: 2 });
    const at = (now: number) => {
      clock.now = now;
      const admission = calls.admit('s');
      return [admission, calls.waitMs];
    };
    expect(at(0)).toEqual(['run', 0]);
    expect(at(50_000)).toEqual(['run', 10_000]);
    expect(at(59_999)).toEqual(['wait', 1]);
    expect(at(60_000)).toEqual(['run', 50_000]);
    expect(at(109_999)).toEqual(['wait', 1]);
    expect(at(110_000)).toEqual(['run', 10_000]);
  });

  it('call budget: limits each session separately', () => {
    const { budget: calls } = budget({ perSession: 2 });
    expect(['a', 'a', 'a', 'b'].map((session) => calls.admit(session))).toEqual([
      'run',
      'run',
      'never',
      'run',
    ]);
  });
});

describe('limited judge', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** A model that answers when the test says so. */
  function judge(limits: Partial<typeof unlimited>, timeoutMs = 30_000) {
    const open: { session: string; end: (text: string) => void; signal: AbortSignal }[] = [];
    const client: ModelClient = {
      model: 'm',
      secondModel: null,
      ask: ({ sessionId }, signal) =>
        new Promise((end) =>
          open.push({ session: sessionId, end: (text) => end({ text, tokens: null }), signal }),
        ),
    };
    const budget = new CallBudget({ ...unlimited, ...limits }, () => Date.now());
    const limited = new LimitedJudge(client, budget, timeoutMs);
    const results: string[] = [];
    const ask = (sessionId: string) =>
      void limited.ask({ sessionId, messages: [], second: false }).then(
        (text) => results.push(`${sessionId} ${text}`),
        (error: unknown) =>
          results.push(`${sessionId} ${error instanceof JudgeError ? error.failure : 'error'}`),
      );
    return { limited, open, results, ask };
  }
  const settled = () => vi.advanceTimersByTimeAsync(0);

  it('limited judge: queues calls in order', async () => {
    const { open, ask, results } = judge({ maxConcurrent: 1 });
    for (const session of ['a', 'b', 'c']) ask(session);
    await settled();
    expect(open.map(({ session }) => session)).toEqual(['a']);
    open[0]!.end('yes');
    await settled();
    expect(open.map(({ session }) => session)).toEqual(['a', 'b']);
    expect(results).toEqual(['a yes']);
  });

  it('limited judge: queues calls until the limit per minute allows them', async () => {
    const { open, ask } = judge({ perMinute: 1 }, 100_000);
    ask('a');
    ask('b');
    await vi.advanceTimersByTimeAsync(59_999);
    expect(open).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(open).toHaveLength(2);
  });

  it('limited judge: skips a call that times out in the queue, and one of a session at its limit', async () => {
    const { open, ask, results } = judge({ perMinute: 1, perSession: 1 }, 10_000);
    ask('a');
    await settled();
    open[0]!.end('yes');
    await settled();
    ask('a');
    ask('b');
    await settled();
    expect(results).toEqual(['a yes', 'a skipped']);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(results).toEqual(['a yes', 'a skipped', 'b skipped']);
  });

  it('limited judge: aborts a call that takes too long and starts the next', async () => {
    const { open, ask, results } = judge({ maxConcurrent: 1 }, 10_000);
    ask('a');
    await vi.advanceTimersByTimeAsync(5000);
    ask('b');
    await vi.advanceTimersByTimeAsync(5000);
    expect(results).toEqual(['a timeout']);
    expect(open.map(({ session, signal }) => [session, signal.aborted])).toEqual([
      ['a', true],
      ['b', false],
    ]);
  });

  it('limited judge: leaves nothing running when closed', async () => {
    const { limited, ask, results } = judge({ maxConcurrent: 1 });
    ask('a');
    ask('b');
    limited.close();
    ask('c');
    await settled();
    expect(results.toSorted()).toEqual(['a error', 'b skipped', 'c skipped']);
    expect(vi.getTimerCount()).toBe(0);
  });
});
