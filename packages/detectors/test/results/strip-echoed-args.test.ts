import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalArguments } from '../../src/lib/canonical-json.ts';
import { withoutEcho } from '../../src/results/strip-echoed-args.ts';

const rest = (text: string, args: unknown, name = 'tool'): string =>
  withoutEcho(text, { name, said: canonicalArguments(args) }).replaceAll('\u0001', '…');

describe('withoutEcho', () => {
  it.each<[string, unknown, string, string]>([
    ['a value, word for word', { q: 'red mugs' }, 'No results for red mugs.', 'No results for ….'],
    ['a value in a list', { files: [{ path: 'a/b.ts' }] }, 'a/b.ts: no', '…: no'],
    ['a multi-line value', { old: 'a = 1\n  b = 2' }, 'no `a = 1 b = 2` here', 'no `…` here'],
    ['a number', { row: 17 }, 'no row 17', 'no row …'],
    ['a number in a text', { sql: 'limit 500' }, '500 is too many', '… is too many'],
    ['a path that the tool completed', { path: './a.txt' }, 'no file /srv/data/a.txt', 'no file …'],
    ['a URL', { url: 'https://a.example/v1' }, '404 for https://a.example/v1', '404 for …'],
    [
      'a name in quotes',
      { sql: 'select x from orders' },
      'relation "orders" does not exist',
      'relation "…" does not exist',
    ],
    ['the name of the tool', {}, 'Unknown tool: do_it', 'Unknown tool: …'],
    ['a short value on its own', { id: 'a' }, "no user 'a'", "no user '…'"],
    ['arguments that are not JSON', 'ls -l x', 'cannot: ls -l x', 'cannot: …'],
  ])('removes %s', (_, args, text, expected) => {
    expect(rest(text, args, 'do_it')).toBe(expected);
  });

  it.each<[string, unknown, string]>([
    ['a name that the call does not contain', { path: 'a' }, "'ranges' is a required property"],
    ['a key of the arguments', { contents: 'x' }, "'contents' is no string"],
    ['a number that the call does not contain', { seed: 4 }, '9 failed'],
    ['another file', { path: '/srv/a.txt' }, 'no file /srv/b.txt'],
    ['a word of a sentence', { text: 'please open the file' }, 'the door is shut'],
    ['letters inside a word', { id: 'a' }, 'a man and a plan'.replaceAll(/\ba\b/g, 'one')],
  ])('keeps %s', (_, args, text) => {
    expect(rest(text, args)).toBe(text);
  });

  it('makes equal answers to different questions identical', () => {
    const word = fc.stringMatching(/^[a-z]{4,12}$/);
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1, maxLength: 5 }),
        fc.array(word, { minLength: 1, maxLength: 5 }),
        (a, b) => {
          const [one, other] = [a.join(' '), b.join(' ')];
          expect(rest(`0: <${one}>`, { q: one })).toBe(rest(`0: <${other}>`, { q: other }));
        },
      ),
    );
  });
});
