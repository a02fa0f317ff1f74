import { describe, expect, it } from 'vitest';
import { isElided } from '../../src/results/elided-result.ts';
import { type ShortStep, said, turns } from '../steps.ts';

const texts = [
  '[Old tool result content cleared]',
  '[Old tool output cleared to save context space]',
  '[Tool result removed to save context]',
  '[tool result cleared]',
  '[tool_result omitted to save context (412 bytes)]',
  '[Tool output cleared — re-invoke tool if needed]',
  '[earlier tool output omitted to save context — 5,120 characters]',
  '[Older Bash output omitted to save context; re-run the command if needed.]',
  '[Observation masked (read_file) — 2048 chars. Use session_search to retrieve if needed.]',
  '[Tool output (0.05MB, 1200 lines) masked to preserve context window. Full output saved to: /tmp/a.txt]',
  '[cleared to save context] The output of this earlier call was dropped by the client.',
  '[[NOTE] This file read has been removed to save space in the context window. Refer to the latest file read for the most up to date version of this file.]',
  '[cleared]',
  '<MASKED>',
  'Old environment output: (12 lines omitted)',
  'Old environment output: (12 lines omitted) (1 images omitted)',
  'Visited URL https://a.example/x\nContent omitted',
  '<tool_output_masked>\nline 1\n... [Content truncated]\n</tool_output_masked>',
];

describe('a result that its agent has left out', () => {
  it.each(texts)('is recognized by %j', (text) => {
    expect(isElided(text)).toBe(true);
  });

  it.each([
    'Content removed.',
    'The cache was cleared.',
    '[removed]',
    '[output truncated] line 1',
    '[12:04] result: 3 files removed',
    '{"content": "cleared"}',
    '[{"content": "the lamp was removed"}]',
    "['output', 'removed']",
    'Old entries and outputs\nwere removed',
    `[Old tool result content cleared] ${'and much more to read. '.repeat(60)}`,
    'const text = "[Old tool result content cleared]";',
  ])('is not recognized by %j', (text) => {
    expect(isElided(text)).toBe(false);
  });

  const files = (count: number, result: unknown) =>
    Array.from(
      { length: count },
      (_, i): ShortStep => ['read_file', result, { path: `src/${String(i)}.ts` }],
    );
  const tests = (count: number, result: unknown) =>
    Array.from({ length: count }, (): ShortStep => ['run_tests', result, {}]);

  it.each(texts)('equals no other result: %j', (text) => {
    expect(said(turns(...files(13, text)))).toEqual([]);
    expect(said(turns(...tests(6, text), ['run_tests', '2 of 9 tests failed', {}]))).toEqual([]);
    expect(said(turns(...tests(6, [{ type: 'text', text }])))).toEqual([]);
  });

  it('still counts as a change, if it is that of an edit', () => {
    const edited = (result: string) =>
      turns(
        ...[0, 1, 2, 3].flatMap((i): ShortStep[] => [
          ['run_tests', 'Error: 2 of 9 tests failed: rounds_half_up, keeps_cents', {}],
          ['edit_file', result, { path: 'a.ts', text: String(i) }],
        ]),
      );
    expect(said(edited('[Old tool result content cleared]'))).toEqual(said(edited('The file was saved.')));
  });

  it('does not hide a loop of which it is the beginning', () => {
    const failure = 'Error: ENOENT: no such file or directory, open a.ts';
    expect(said(turns(...tests(3, '[cleared]'), ...tests(3, failure)))).toEqual([
      'tool-repeat opened chance 3',
    ]);
  });
});
