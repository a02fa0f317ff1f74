import { expect, test } from 'vitest';
import { isProse } from '../../src/text/is-prose.ts';
import { soundProse } from './made-prose.ts';

const sentence =
  'The old river of the village carries the broken ladder, and the lawyer (who is late) reads it. ';

test.each([
  ['sentences', sentence.repeat(4)],
  ['sentences with numbers', sentence.replace('old', '\uffff').repeat(4)],
  ['paragraphs', `${sentence.trim()}\n`.repeat(4)],
  ['an unfinished sentence', sentence.replace('.', ' and').repeat(4)],
  ['words in asterisks', sentence.replace('river', '**river**').repeat(4)],
  ['sentences in German', 'Über die Brücke gehen die Schüler, und der Lehrer zählt sie. '.repeat(6)],
  ['made-up prose', soundProse[0]?.make(1, 1000) ?? ''],
])('isProse: accepts %s', (_, text) => {
  expect(isProse(text)).toBe(true);
});

test.each([
  ['white space', ' '.repeat(200)],
  ['a log', 'Fetched the page in \uffff ms\n'.repeat(12)],
  ['a table', '| the river | the village | \uffff |\n'.repeat(12)],
  ['tab-separated values', 'Basic predicates and conditions\t\uffff\tthe predicate\tYES\t'.repeat(8)],
  ['JSON', '{"id": \uffff, "name": "the old river", "open": true},\n'.repeat(8)],
  ['code', 'const value = await read(path, options);\nreturn next(value);\n'.repeat(8)],
  ['declarations', 'type RiverOfTheVillage as BetaRiverOfTheVillage, '.repeat(8)],
  ['paths', 'see /srv/old/river and /srv/new/village for it, '.repeat(8)],
  ['moves of a puzzle', 'Move disk 1 from peg A to peg C.\n'.repeat(10)],
  ['steps with numbers', 'Divide \uffff by \uffff. The remainder is \uffff. '.repeat(8)],
  ['figures', 'a \uffff, b \uffff, c \uffff, d \uffff. '.repeat(20)],
])('isProse: rejects %s', (_, text) => {
  expect(isProse(text)).toBe(false);
});
