import { describe, expect, it } from 'vitest';
import { said } from '../../steps.ts';
import { events, token } from './changing-results.ts';

describe('the last bound', () => {
  const rising = (count: number) =>
    events(['', 'sensor', {}, (i) => ({ celsius: i * 3, note: token(i, 'abcdefgh', 9) })], count);

  it('points out identical calls whatever their results, and blocks them far later', () => {
    expect(said(rising(39))).toEqual([]);
    expect(said(rising(119)).filter((line) => !line.includes('resolved'))).toEqual([
      'tool-repeat opened chance 40',
      'tool-repeat opened chance 80',
    ]);
    expect(said(rising(121)).slice(-2)).toEqual([
      'tool-repeat opened chance 120',
      'tool-repeat escalated block 121',
    ]);
  });

  it('does not apply to a tool that waits', () => {
    const waiting = events(['', 'wait_for_build', {}, (i) => ({ done: i * 3 })], 130);
    expect(said(waiting)).toEqual([]);
  });
});
