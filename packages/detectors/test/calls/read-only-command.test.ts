import { describe, expect, it } from 'vitest';
import { commandFacts } from '../../src/calls/command-line.ts';
import { toolIdentity } from '../../src/calls/tool-identity.ts';
import { canonicalArguments } from '../../src/lib/canonical-json.ts';

const looks = (args: unknown): boolean | undefined =>
  commandFacts(toolIdentity('run', canonicalArguments(args))).onlyLooks;

describe('read-only commands', () => {
  it.each([
    'cat a.ts',
    'cd /repo && git diff HEAD~1 | head -50',
    'grep -rn "total" src 2>/dev/null || true',
    'ls -la; pwd',
    'git --no-pager log --oneline',
    'sed -n 1,20p a.ts',
    'find . -name "*.ts" 2>&1 | wc -l',
    'LANG=C sudo ls /root',
    'view',
  ])('%s', (command) => expect(looks({ command })).toBe(true));

  it.each([
    'sed -i s/1/2/ a.ts',
    'cat > a.ts <<EOF',
    'echo x >> log',
    'npm install',
    'git commit -am x',
    'git checkout -- .',
    'find . -name x -delete',
    'ls && rm -r build',
    'python3 fix.py',
    'ls | tee files',
    'str_replace',
    `cat ${'a'.repeat(600)}`,
  ])('do not include %s', (command) => expect(looks({ command })).toBe(false));

  it.each<[string, unknown, boolean | undefined]>([
    ['a command given as a list of words', { command: ['cat', 'a.ts'] }, true],
    ['a shell and its command line', { command: ['bash', '-lc', 'cat a.ts | head'] }, true],
    ['a shell that changes something', { command: ['/bin/sh', '-c', 'rm a.ts'] }, false],
    ['a program, which may do anything', { code: 'x = 1' }, false],
    ['a long program', { code: 'x = 1\n'.repeat(200) }, false],
    ['a command that is not text', { command: 7 }, undefined],
    ['a command under another name', { CommandLine: 'cat a.ts' }, true],
    ['a command in other letters', { shell_command: 'rm a.ts' }, false],
    ['other arguments', { path: 'a.ts' }, undefined],
    ['none', undefined, undefined],
    ['arguments that are not JSON', 'rm a.ts', undefined],
  ])('%s', (_, args, expected) => expect(looks(args)).toBe(expected));
});

it.each([
  ['run_in_terminal', { input: 'cat a.ts', goal: 7 }, true],
  ['mcp__desktop__execute_command', { line: 'rm a.ts' }, false],
  ['shell', { input: 'cat a.ts', folder: '/srv' }, undefined],
  ['get_terminal_output', { id: 'a1' }, undefined],
  ['run_query', { text: 'select 1' }, undefined],
])('the only text of %s', (tool, args, expected) =>
  expect(commandFacts(toolIdentity(tool, canonicalArguments(args))).onlyLooks).toBe(expected),
);

it.each([
  ['get_cell', { cell: 'A1' }, undefined],
  ['get_country', { code: 'NO' }, undefined],
  ['find_book', { source: 'The Times (1999)', program: 'Winter term' }, undefined],
  ['notebook', { cell: 'print(total)' }, false],
  ['notebook', { cell: 'total = 7' }, false],
  ['python', { code: 'total' }, false],
  ['notebook', { source: 'import csv' }, false],
])('%s %o runs a program or not', (tool, args, expected) =>
  expect(commandFacts(toolIdentity(tool, canonicalArguments(args))).onlyLooks).toBe(expected),
);
