import fc from 'fast-check';
import { expect, it } from 'vitest';
import { printable, printableJson, printableTexts } from '../src/runtime/output.ts';

const CONTROLS = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;
const hostile = fc
  .array(
    fc.constantFrom(
      '\u001b]0;owned\u0007',
      '\u001b[2J',
      '\u009b31m',
      '\r',
      '\b',
      '\n',
      '\t',
      '\u202e',
      'text',
      '"',
      '\\',
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));

it('printable: no data controls a terminal; line breaks and tabs stay', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      expect(printable(text).replace(/[\n\t]/g, '')).not.toMatch(CONTROLS);
      expect(printable(text).split('\n')).toHaveLength(text.split('\n').length);
      expect(JSON.stringify(printableTexts({ [text]: [text, { a: text }] }))).not.toMatch(
        /\\u00|[\u0080-\u009f]/,
      );
      expect(printableJson({ text })).not.toMatch(CONTROLS);
      expect(JSON.parse(printableJson({ text }))).toEqual({ text });
    }),
  );
});
