import { describe, expect, it } from 'vitest';
import { atMost, delay, within } from '../src/index.ts';

const HOUR = 3_600_000;
const never = new Promise<never>(() => undefined);
/** A timer that is left keeps the process from ending. */
const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

describe('timing', () => {
  it.each([
    ['atMost with a result in time', () => atMost(Promise.resolve('x'), HOUR), undefined],
    ['within with a result in time', () => within(Promise.resolve('x'), HOUR, () => new Error('late')), 'x'],
    ['delay with an aborted signal', () => delay(HOUR, AbortSignal.abort()), undefined],
  ])('%s leaves no timer', async (_name, wait, value) => {
    const before = timers();
    await expect(wait()).resolves.toBe(value);
    expect(timers()).toBe(before);
  });

  it.each([
    ['atMost', () => atMost(Promise.reject(new Error('broken')), HOUR)],
    ['within', () => within(Promise.reject(new Error('broken')), HOUR, () => new Error('late'))],
  ])('%s rejects like its promise, and leaves no timer', async (_name, wait) => {
    const before = timers();
    await expect(wait()).rejects.toThrow('broken');
    expect(timers()).toBe(before);
  });

  it('at the timeout, atMost resolves and within rejects', async () => {
    await expect(atMost(never, 1)).resolves.toBeUndefined();
    await expect(within(never, -1, () => new Error('late'))).rejects.toThrow('late');
  });

  it('delay ends when its signal is aborted', async () => {
    const stopping = new AbortController();
    const waiting = delay(HOUR, stopping.signal);
    stopping.abort();
    await expect(waiting).resolves.toBeUndefined();
  });
});
