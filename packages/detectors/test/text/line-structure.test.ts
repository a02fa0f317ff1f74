import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LineStructure, RESTART, TRACK } from '../../src/text/line-structure.ts';

/** `t` tracked, `R` tracking restarts behind it, `s` not tracked; one letter a unit. */
function classified(text: string): string {
  const structure = new LineStructure();
  let kinds = '';
  for (let i = 0; i < text.length; i += 1) kinds += letter(structure.step(text.charCodeAt(i)));
  return kinds;
}

/** The same by way of the short cuts for the rest of a line, and through a snapshot at every unit. */
function classifiedByStretches(text: string): string {
  let structure = new LineStructure();
  let kinds = '';
  for (let i = 0; i < text.length; ) {
    const { inBody, inSkippedLine } = structure;
    if (inBody || inSkippedLine) {
      const lineBreak = text.indexOf('\n', i);
      const end = lineBreak === -1 ? text.length : lineBreak + 1;
      kinds += (inBody ? 't' : 's').repeat(end - i);
      if (lineBreak !== -1) structure.endLine();
      i = end;
    } else {
      kinds += letter(structure.step(text.charCodeAt(i)));
      i += 1;
    }
    const state = structure.snapshot();
    structure = new LineStructure();
    structure.restore(JSON.parse(JSON.stringify(state)) as typeof state);
  }
  return kinds;
}

function letter(kind: number): string {
  return kind === TRACK ? 't' : kind === RESTART ? 'R' : 's';
}

/** The rules written as patterns over whole lines. */
function expected(text: string): string {
  let fence = '';
  return (text.match(/[^\n]*\n|[^\n]+$/g) ?? [])
    .map((line) => {
      const indent = /^[ \t]*/.exec(line)?.[0] ?? '';
      const rest = line.slice(indent.length);
      if (fence !== '') {
        if (rest.startsWith(fence.repeat(3))) fence = '';
        return 's'.repeat(line.length);
      }
      const open = /^(```|~~~)/.exec(rest)?.[0];
      if (open !== undefined) {
        fence = open.charAt(0);
        return `${'t'.repeat(indent.length + 2)}R${'s'.repeat(rest.length - 3)}`;
      }
      const divider = /^[-_*=+\u2500-\u257f]{3,}/.exec(rest)?.[0];
      if (divider !== undefined) {
        const before = 't'.repeat(indent.length + 2);
        return `${before}R${'s'.repeat(divider.length - 3)}${'t'.repeat(rest.length - divider.length)}`;
      }
      const marker = /^(?:[-*+][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|>|\|)/.exec(rest)?.[0];
      if (marker === undefined) return 't'.repeat(line.length);
      const before = 't'.repeat(indent.length + marker.length - 1);
      return `${before}R${'t'.repeat(rest.length - marker.length)}`;
    })
    .join('');
}

const pieces = [
  ...Array.from(' \t\n\n\n-*+_=─╿>|#.)`~0a'),
  '```',
  '~~~',
  '---',
  '12',
  '1234567890',
  '######',
  '- ',
  '1. ',
  'text',
];

test('LineStructure: agrees with the rules as patterns over whole lines', () => {
  const texts = fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(texts, (text) => {
      const kinds = expected(text);
      expect(classified(text)).toBe(kinds);
      expect(classifiedByStretches(text)).toBe(kinds);
    }),
    { seed: 4, numRuns: 20_000 },
  );
});

test('LineStructure: agrees with the patterns on lines that start with a marker', () => {
  const line = fc
    .tuple(
      fc.constantFrom('', ' ', '\t  '),
      fc.constantFrom('```', '~~~', '``', '---', '- ', '1. ', '# ', '> ', '| ', '══', '***', 'x', ''),
      fc.constantFrom('', 'text', ' ', '-', '`'),
    )
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 20 }), (all) => {
      const text = all.join('\n');
      const kinds = expected(text);
      expect(classified(text)).toBe(kinds);
      expect(classifiedByStretches(text)).toBe(kinds);
    }),
    { seed: 6, numRuns: 3000 },
  );
});

describe('LineStructure of single lines', () => {
  test.each([
    ['plain text', 'tttttttttt'],
    ['- item', 'tRtttt'],
    ['*\titem', 'tRtttt'],
    ['-item', 'ttttt'],
    ['--- x', 'ttRtt'],
    ['---- x', 'ttRstt'],
    ['-- x', 'tttt'],
    ['- - -', 'tRttt'],
    ['1. a', 'ttRt'],
    ['123456789) a', 'ttttttttttRt'],
    ['1234567890. a', 'ttttttttttttt'],
    ['# a', 'tRt'],
    ['####### a', 'ttttttttt'],
    ['>> a', 'Rttt'],
    ['  \t| a |', 'tttRtttt'],
    ['═══', 'ttR'],
    ['```js\ncode\n  ```x\na', 'ttRssssssssssssssst'],
    ['~~~\n```\n~~~\na', 'ttRssssssssst'],
    ['a ``` b', 'ttttttt'],
    ['---\ra', 'ttRtt'],
    ['a\r- b', 'ttttt'],
  ])('%j', (line, kinds) => {
    expect(classified(line)).toBe(kinds);
    expect(expected(line)).toBe(kinds);
  });

  test('closes a fence at startLine', () => {
    const structure = new LineStructure();
    for (const unit of '```\ncode') structure.step(unit.charCodeAt(0));
    structure.startLine();
    expect(structure.step('>'.charCodeAt(0))).toBe(RESTART);
  });
});
