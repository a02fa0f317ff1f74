import { describe, expect, it } from 'vitest';
import { said, turns } from '../../steps.ts';

type Call = readonly [name: string, result: unknown, args: Record<string, unknown>, isError?: boolean];

const sh = (command: string, result: string, failed = true): Call => ['bash', result, { command }, failed];
const missing = 'InputValidationError: the required parameter `file_path` is missing';
const write = (n: number): readonly Call[] => [
  ['write_file', missing, {}, true],
  [
    'write_file',
    `The file src/part-${n}.ts has been written.`,
    { file_path: `src/part-${n}.ts`, content: `${n}` },
  ],
];
const python = (n: number): readonly Call[] => [
  ['python', 'Error executing Python code: Expecting value: line 1 column 1 (char 0)', '' as never, true],
  ['python', `Total rows: ${61 + n * n}`, { code: `print(rows(${n}))` }],
];
const asserting = (n: number): readonly Call[] => [
  ['run_tests', 'AssertionError: expected 5 to be 4', {}, true],
  ['run_tests', `ok: the suite number ${n} has passed`, { suite: `unit-${n}` }],
  ['edit_file', `The file src/total-${n}.ts has been updated.`, { path: `src/total-${n}.ts`, text: `${n}` }],
];
const failing = (n: number): readonly Call[] => [
  ['run_tests', 'AssertionError: totals differ in the report of March', {}, true],
  ['run_tests', `ok: the suite number ${n} has passed`, { suite: `unit-${n}` }],
  ['edit_file', `The file src/total-${n}.ts has been updated.`, { path: `src/total-${n}.ts`, text: `${n}` }],
];
const refused = (n: number): readonly Call[] => [
  sh(`git commit -m "try ${n}"`, 'Commits to the branch main are refused: open a pull request instead.'),
  sh(`git add src/${n}.ts`, '', false),
];
const edit = (text: string, result: string): Call => ['edit_file', result, { path: 'a.ts', text }, true];
const rejected = (n: number): readonly Call[] => [
  edit(
    `attempt ${n}`,
    n % 2 === 0
      ? 'Your proposed edit has introduced new syntax errors. Fix them, then try again.\nE999 unexpected indent'
      : 'Your proposed edit has introduced new syntax errors. Fix them, then try again.\nF821 undefined name sum',
  ),
];
const fewer = (n: number): readonly Call[] => [
  edit(
    `attempt ${n}`,
    `The edit was rejected: the file would have ${90 - n} problems that the linter reports.`,
  ),
];
const repeated = (one: (n: number) => readonly Call[], times: number) =>
  Array.from({ length: times }, (_, n) => one(n))
    .flat()
    .flatMap(([name, result, args, isError = false]) =>
      turns([name, result, args]).map((event) =>
        event.type === 'tool_result' ? { ...event, isError } : event,
      ),
    );

describe('failures between steps that work', () => {
  it.each([
    ['calls without arguments', repeated(write, 5), 'stagnation/same-failure'],
    ['empty code between programs', repeated(python, 5), 'stagnation/same-failure'],
    ['commands refused with one sentence', repeated(refused, 6), 'stagnation/same-error'],
    ['edits rejected with alternating details', repeated(rejected, 8), 'stagnation/same-error'],
  ])('are a loop: %s', (_, events, rule) => {
    expect(said(events)[0]).toMatch(new RegExp(`^${rule} opened`));
  });

  it.each([
    ['tests that fail until the edits are done', repeated(failing, 6)],
    ['assertions that fail until the edits are done', repeated(asserting, 6)],
    ['edits rejected for fewer and fewer problems', repeated(fewer, 9)],
    ['two calls without arguments', repeated(write, 2)],
    ['two refusals', repeated(refused, 2)],
  ])('are no loop: %s', (_, events) => {
    expect(said(events)).toEqual([]);
  });
});
