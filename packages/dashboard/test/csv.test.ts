import { expect, it } from 'vitest';
import { toCsv } from '../src/list/csv.ts';

const csvOf = (text: string | number) =>
  toCsv({ text: (item: string | number) => item }, [text]).split('\r\n', 2)[1];

it.each([
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\ttext', "'\ttext"],
  ['\0=1', "'\0=1"],
  ['\ufeff=1', "'\ufeff=1"],
  ['  =1', "'  =1"],
  ['＝1', "'＝1"],
  ['＋1', "'＋1"],
  ['－1', "'－1"],
  ['＠a', "'＠a"],
  ['a;=1', "a;'=1"],
  ['a; =1', "a;' =1"],
  ['a\t=1', "a\t'=1"],
  ['a|+1', "a|'+1"],
  ['a,=1', '"a,=1"'],
  ['"=1', '"""=1"'],
])('a cell that holds %j holds no formula', (text, cell) => {
  expect(csvOf(text)).toBe(cell);
});

it('a cell of several lines holds no formula in any of them', () => {
  expect(toCsv({ text: (item: string) => item }, ['a\n=1\r\n@b\r-c'])).toBe(
    "text\r\n\"a\n'=1\r\n'@b\r'-c\"\r\n",
  );
});

it.each([
  ['a = 1', 'a = 1'],
  ['a-b; c', 'a-b; c'],
  ['https://host/a?b=c', 'https://host/a?b=c'],
  [-1.5, '-1.5'],
])('%j stays as it is', (text, cell) => {
  expect(csvOf(text)).toBe(cell);
});
