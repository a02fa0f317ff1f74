import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clipText } from '../../src/incident/clip-text.ts';

const patch = (file: string, line: string) =>
  JSON.stringify({
    patchText: `*** Begin Patch\n*** Update File: /home/kim/work/shop/services/${file}\n@@ class Basket:\n-    total = 0\n+    ${line}\n*** End Patch`,
  });
const command = (rest: string) =>
  JSON.stringify({ command: `cd /srv/builds/42/checkout/backend && source .venv/bin/activate && ${rest}` });

describe('a long text', () => {
  it.each([
    [
      'a patch: the file and the last line',
      patch('cart/basket.py', 'total = sum(items)'),
      [/cart\/basket\.py/, /sum\(items\)/],
    ],
    [
      'a command: the program at its end',
      command('pytest tests/test_refund.py -k partial'),
      [/^\{"command":"cd/, /-k partial"\}$/],
    ],
    ['a path: the file', JSON.stringify({ path: `/${'deep/'.repeat(30)}notes.md` }), [/deep\/notes\.md/]],
    [
      'a traceback: the error at its end',
      `Traceback (most recent call last):\n${'  File "x.py", line 1\n'.repeat(9)}KeyError: 'price'`,
      [/^Traceback/, /KeyError: 'price'$/],
    ],
    [
      'a URL: the host and the query',
      `{"url":"https://api.example.com/v2/${'orders/'.repeat(20)}items?page=7"}`,
      [/api\.example\.com/, /page=7/],
    ],
  ])('keeps what matters of %s', (_, text, parts) => {
    const shown = clipText(text, 80);
    for (const part of parts) expect(shown).toMatch(part);
    expect(shown.length).toBeLessThanOrEqual(80);
  });

  it.each([
    [
      'commands',
      command('pytest tests/a.py -q --maxfail=1 --durations=5 -p no:cacheprovider'),
      command('ruff check src --fix --select E,F,W --exclude migrations --quiet'),
      /pytest/,
      /ruff/,
    ],
    [
      'queries',
      `{"q":"${'SELECT name FROM stations WHERE '.repeat(3)}zone = 4${' AND open'.repeat(20)}"}`,
      `{"q":"${'SELECT name FROM stations WHERE '.repeat(3)}zone = 5${' AND open'.repeat(20)}"}`,
      /zone = 4/,
      /zone = 5/,
    ],
  ])('shows how two %s differ', (_, a, b, inA, inB) => {
    expect(clipText(a, 80, [a, b])).toMatch(inA);
    expect(clipText(b, 80, [a, b])).toMatch(inB);
  });

  it('is one line, bounded and well formed, and a short one stays as it is', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 300 }),
        fc.array(fc.string({ maxLength: 300 }), { maxLength: 3 }),
        (text, others) => {
          const shown = clipText(text, 80, [text, ...others]);
          expect(shown.length).toBeLessThanOrEqual(80);
          expect(shown).not.toMatch(/[\r\n]/);
          if (text.isWellFormed()) expect(shown.isWellFormed()).toBe(true);
          const line = text.replace(/\s+/g, ' ').trim();
          if (line.length <= 80) expect(shown).toBe(line);
        },
      ),
    );
  });
});
