import { describe, expect, it } from 'vitest';
import { said, turns } from '../../steps.ts';

const words = 'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi'.split(' ');
const calls = (name: string, field: string, result: unknown, count = 7, prefix = '') =>
  turns(...words.slice(0, count).map((word) => [name, result, { [field]: `${prefix}${word}` }] as const));
const found = ['stagnation/same-answer opened chance 6', 'stagnation/same-answer escalated block 7'];

describe('one answer to whatever is asked', () => {
  it.each([
    ['one list of hits for every pattern', calls('grep', 'pattern', '12: const policy = policies.default;')],
    [
      'one page for every address',
      calls('fetch_page', 'nonce', `The page about trams. ${'It is long. '.repeat(8)}`),
    ],
    ['commands that do nothing', calls('bash', 'command', '(Bash completed with no output)', 7, ': ')],
    [
      'looks at one tree that is clean',
      calls('bash', 'command', 'nothing to commit, working tree clean', 7, 'git status --'),
    ],
  ])('is a loop: %s', (_, events) => {
    expect(said(events)).toEqual(found);
  });

  it.each([
    ['a batch of work', calls('resize_image', 'file', 'resized to 640 x 480 pixels, quality 80')],
    ['tests that pass', calls('run_tests', 'file', '1 passed, 0 failed, 0 skipped in this file')],
    ['a person who agrees', calls('ask_user', 'question', 'Yes, please go ahead with that one.')],
    ['files that are empty', calls('bash', 'command', '', 7, 'cat ')],
    ['searches that find nothing', calls('search', 'q', '{"results":[],"total":0,"page":1}')],
    ['days without events', calls('list_events', 'day', 'There are no events on this day.')],
    ['a price that many things have', calls('get_price', 'item', '{"currency":"EUR","price":9.99}')],
    ['servers that are well', calls('get_health', 'host', '{"status":"healthy","checks":12}')],
  ])('is none: %s', (_, events) => {
    expect(said(events)).toEqual([]);
  });

  it('that is short is a loop after twice as many', () => {
    expect(said(calls('get_price', 'item', '{"currency":"EUR","price":9.99}', 12))).toEqual([
      'stagnation/same-answer opened chance 12',
    ]);
  });
});
