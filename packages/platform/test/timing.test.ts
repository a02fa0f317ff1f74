import { describe, expect, it } from 'vitest';
import { atMost, backoff, delay, within } from '../src/index.ts';

const hour = 3_600_000;
const never = new Promise<never>(() => undefined);
/** A timer that is left keeps the process from ending. */
const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

describe('waiting', () => {
  it.each([
    ['that came in time', () => atMost(Promise.resolve('x'), hour), undefined],
    [
      'that came in time, for its value',
      () => within(Promise.resolve('x'), hour, () => new Error('late')),
      'x',
    ],
    ['of an aborted signal', () => delay(hour, AbortSignal.abort()), undefined],
  ])('for something %s leaves no timer', async (_name, wait, value) => {
    const before = timers();
    await expect(wait()).resolves.toBe(value);
    expect(timers()).toBe(before);
  });

  it.each([
    ['atMost', () => atMost(Promise.reject(new Error('broken')), hour)],
    ['within', () => within(Promise.reject(new Error('broken')), hour, () => new Error('late'))],
  ])('for something that fails fails as it does, and leaves no timer (%s)', async (_name, wait) => {
    const before = timers();
    await expect(wait()).rejects.toThrow('broken');
    expect(timers()).toBe(before);
  });

  it('ends when the time is up: quietly, or with an error of its own', async () => {
    await expect(atMost(never, 1)).resolves.toBeUndefined();
    await expect(within(never, -1, () => new Error('late'))).rejects.toThrow('late');
  });

  it('ends when its signal is aborted', async () => {
    const stopping = new AbortController();
    const waiting = delay(hour, stopping.signal);
    stopping.abort();
    await expect(waiting).resolves.toBeUndefined();
  });
});

it('pauses double up to a limit, however many tries there were', () => {
  expect([0, 1, 2, 3, 2_000].map((attempt) => backoff(attempt, 100, 500))).toEqual([100, 200, 400, 500, 500]);
});
