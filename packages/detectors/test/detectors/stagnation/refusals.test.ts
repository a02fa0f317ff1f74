import { describe, expect, it } from 'vitest';
import { said, turns } from '../../steps.ts';

type Call = readonly [
  name: string,
  result: unknown,
  args: Record<string, unknown>,
  isError?: boolean | undefined,
];

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
const lacking = (n: number): readonly Call[] => [
  [
    'write_to_file',
    "Tried to use write_to_file for 'out.md' without value for required parameter 'content'.",
    { path: 'out.md' },
    undefined,
  ],
  ['write_to_file', `Part ${n} was written.`, { path: `part-${n}.md`, content: `text ${n}` }],
];
const halves = (n: number): readonly Call[] => [
  ['render', 'Tool arguments are not valid JSON', `{"title":"Q${n}","rows":[[1,${n}` as never, undefined],
  ['render', `Part ${n} was rendered.`, { title: `part ${n}`, rows: [[n]] }],
];
const deleting = (n: number): readonly Call[] => [
  [
    'sql_exec',
    'Forbidden: this account only reads.',
    { sql: `DELETE FROM logs WHERE id < ${n * 100}` },
    true,
  ],
  ['sql_exec', `${n * 97}`, { sql: `SELECT count(*) FROM logs WHERE id < ${n * 100}` }, false],
];
const pushing = (n: number): readonly Call[] => [
  sh(
    `git push origin HEAD:try-${n}`,
    'remote: Permission to acme/app denied to bot.\nfatal: unable to access the repository',
  ),
  sh(`git add src/${n}.ts`, '', false),
];
const explained = (n: number): readonly Call[] => [
  sh(
    `git push origin HEAD:try-${n}`,
    'remote: error: GH006: Protected branch update failed.\nremote: error: A pull request is needed.\n\nTo github.com:a/b\n ! [remote rejected] main -> main (declined)\nerror: failed to push some refs',
  ),
  sh(`git log -${n + 1}`, `commit ${n}`, false),
];
const unfit =
  (result: string, args: unknown) =>
  (n: number): readonly Call[] => [
    ['update_cells', result, args as never, true],
    ['create_sheet', `Sheet ${n} was created.`, { name: `sheet-${n}` }],
  ];
const UNFIT = 'Invalid arguments for tool update_cells: [{"message":"Required","path":["cells"]}]';
const forbidden = (n: number): readonly Call[] => [
  sh(
    `curl -s https://api.example/v${n}/schema`,
    `Permission to use Bash with command curl -s https://api.example/v${n}/schema has been denied.`,
  ),
  ['grep', `src/orders.ts:${n + 1}: schema`, { pattern: `schema${n}` }],
];
const watching = (n: number): readonly Call[] => [
  sh(
    ['kubectl scale deploy/a --replicas=5', 'kubectl apply -f five.yaml', 'kubectl edit deploy a'][n % 3] ??
      '',
    'Writes to production need a change ticket.',
  ),
  sh(`kubectl get pods -l part=${n} | head -3`, `pod-${n} ready`, false),
  sh(`curl -s https://a.example/pages/${n}`, `page ${n}`, false),
];
const listing = (n: number): readonly Call[] => {
  const kind = 'pods deploy svc events secrets nodes'.split(' ')[n] ?? '';
  return [
    sh(
      `kubectl -n prod get ${kind}`,
      `Error from server (Forbidden): ${kind} is forbidden: User "bot" cannot list resource "${kind}" here`,
    ),
  ];
};
const asking = (n: number): readonly Call[] => {
  const kind = 'Buckets Roles Queues Topics Tables Keys'.split(' ')[n] ?? '';
  return [
    [
      'cloud_list',
      `AccessDenied: bot is not authorized to perform cloud:List${kind}`,
      { kind: kind.toLowerCase() },
      true,
    ],
  ];
};
const writing = (n: number): readonly Call[] => {
  const program = 'touch mkdir cp mv ln rm'.split(' ')[n] ?? '';
  return [sh(`${program} ${'abcdef'.charAt(n)}`, `${program}: Read-only file system`)];
};
const publishing = (n: number): readonly Call[] => {
  const name = 'red blue green black white pink'.split(' ')[n] ?? '';
  return [sh(`npm view ${name}-kit version`, `npm error 404 ${name}-kit is not in this registry.`)];
};
const storing = (n: number): readonly Call[] => [
  sh(`git push origin HEAD:try-${n}`, 'Pushes are refused until the checks of the server have run.'),
  sh(`curl -sX POST https://ci.example/checks -d n=${n}`, `accepted ${n}`, false),
];
const cmdlets = (n: number): readonly Call[] => [
  sh(`./setup.ps1 -Try ${n}`, 'setup.ps1 cannot be loaded: running scripts is disabled on this system.'),
  sh(`Get-Content log${n}.txt | Select-String error`, `error ${n}`, false),
];
const protecting = (n: number): readonly Call[] => [
  sh(
    ['git push', 'git push origin main', 'git push --force origin HEAD:main'][n % 3] ?? '',
    'remote: error: GH006: Protected branch update failed for refs/heads/main.',
  ),
  sh(`git log -${n + 1}`, `commit ${n}`, false),
];
const looking = (n: number): readonly Call[] => [
  sh(`cat src/part${n}.ts`, `cat: src/part${n}.ts: No such file or directory`),
  sh(`ls src/${n}`, `orders${n}.ts`, false),
];
const linting = (n: number): readonly Call[] => [
  sh(`ruff check pkg/part${n}.py`, 'F401 `os` imported but unused\nFound 1 error.'),
];
const knocking = (n: number): readonly Call[] => [
  sh(
    `nc -zv db.local ${n * 37 + 22}`,
    `nc: connect to db.local port ${n * 37 + 22} (tcp) failed: Connection refused`,
  ),
];
const lintingAgain = (n: number): readonly Call[] => [
  sh(`cd app && npm run lint # try ${n}`, '14 problems (14 errors, 0 warnings)'),
];
const parsing = (n: number): readonly Call[] => [
  [
    'save_yaml',
    `YAMLException: bad indentation at line ${12 + n * n * 7}, column 3`,
    { patch: `fix ${n}` },
    true,
  ],
];
const unflagged = (n: number): readonly Call[] => [
  [
    'apply_edit',
    `edit rejected: the file would not compile after this change, see ${['Foo', 'Bar', 'Baz'][n % 3] ?? ''}`,
    { hunk: `@@ ${n} @@` },
    undefined,
  ],
];
const reading = (n: number): readonly Call[] => [
  [
    'read_page',
    `page ${n + 1} of 12: ${'the soil, the light, the water, the roots'.slice(0, 12 + n)}`,
    { page: n },
  ],
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
const rejectedForOther = (n: number): readonly Call[] => [
  edit(
    `attempt ${n}`,
    (n * n) % 3 === 0
      ? `The patch was refused: nothing like line ${[40, 12, 77, 55][n % 4] ?? ''} was found in lib/x.rb.`
      : `Verification of the hunk failed since its context is nowhere near ${[19, 66, 48, 31][n % 4] ?? ''}.`,
  ),
];
const rejectedForOthers = (n: number): readonly Call[] => [
  edit(
    `attempt ${n}`,
    `The patch was refused: ${'abcdefgh'.charAt(n % 8).repeat(9)} stands in its way, so that it cannot be applied.`.slice(
      n % 8,
    ),
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
    .flatMap(([name, result, args, ...rest]) => {
      const isError = rest.length === 0 ? false : rest[0];
      return turns([name, result, args]).map((event) =>
        event.type === 'tool_result' && isError !== undefined ? { ...event, isError } : event,
      );
    });

describe('failures between steps that work', () => {
  it.each([
    ['calls without arguments', repeated(write, 5), 'stagnation/same-failure'],
    ['empty code between programs', repeated(python, 5), 'stagnation/same-failure'],
    ['commands refused with one sentence', repeated(refused, 6), 'stagnation/same-error'],
    ['commands refused with a sentence that quotes them', repeated(forbidden, 6), 'stagnation/same-error'],
    ['commands refused for what some of them name', repeated(protecting, 6), 'stagnation/same-error'],
    ['commands refused between states and pages', repeated(watching, 6), 'stagnation/same-error'],
    ['commands refused between looks of PowerShell', repeated(cmdlets, 6), 'stagnation/same-error'],
    ['commands that name what they are denied', repeated(listing, 6), 'stagnation/same-error'],
    ['looks that are denied by another name', repeated(asking, 6), 'stagnation/same-error'],
    ['programs that may not write', repeated(writing, 6), 'stagnation/same-error'],
    ['calls that lack an argument', repeated(lacking, 5), 'stagnation/same-failure'],
    ['commands refused with two lines', repeated(pushing, 6), 'stagnation/same-error'],
    ['commands refused with an explanation', repeated(explained, 6), 'stagnation/same-error'],
    ['calls whose arguments do not fit', repeated(unfit(UNFIT, { a: 1 }), 5), 'stagnation/same-failure'],
    [
      'calls with a field that a server misses',
      repeated(unfit('MCP error -32602: Invalid params: missing field `cells`', { a: 1 }), 5),
      'stagnation/same-failure',
    ],
    [
      'calls whose arguments are cut off',
      repeated(unfit('Unterminated string in JSON', '{"path":"a.md","text":"# In'), 5),
      'stagnation/same-failure',
    ],
    ['calls that are cut off at other places', repeated(halves, 6), 'stagnation/same-failure'],
    ['statements refused between looks by the same tool', repeated(deleting, 6), 'stagnation/same-error'],
    ['edits rejected without a flag', repeated(unflagged, 9), 'stagnation/same-error'],
    ['a linter that is run again with another comment', repeated(lintingAgain, 6), 'stagnation/same-error'],
    ['edits rejected with alternating details', repeated(rejected, 8), 'stagnation/same-error'],
    ['edits rejected for two reasons', repeated(rejectedForOther, 8), 'stagnation/same-error'],
  ])('are a loop: %s', (_, events, rule) => {
    expect(said(events)[0]).toMatch(new RegExp(`^${rule} opened`));
  });

  it.each([
    ['tests that fail until the edits are done', repeated(failing, 6)],
    ['assertions that fail until the edits are done', repeated(asserting, 6)],
    ['edits rejected for fewer and fewer problems', repeated(fewer, 9)],
    ['two calls without arguments', repeated(write, 2)],
    ['files that a command does not find between looks', repeated(looking, 9)],
    ['targets in which a linter finds the same', repeated(linting, 9)],
    ['names that are free', repeated(publishing, 6)],
    ['ports of which none is open', repeated(knocking, 16)],
    ['errors that come later in the input each time', repeated(parsing, 6)],
    ['refusals between requests that store something', repeated(storing, 6)],
    ['edits rejected for eight reasons', repeated(rejectedForOthers, 8)],
    ['two refusals', repeated(refused, 2)],
    ['a file that is not valid yet', repeated(unfit('invalid JSON in config.json', { path: 'c.json' }), 5)],
    ['chapters that are read one after another', repeated(reading, 9)],
  ])('are no loop: %s', (_, events) => {
    expect(said(events)).toEqual([]);
  });
});

describe('one call that is denied again and again', () => {
  const denied = (result: string) =>
    repeated(() => [['run_sql', result, { sql: 'DROP TABLE orders' }, true]], 5).map((event) =>
      event.type === 'tool_result' ? { ...event, denied: true } : event,
    );

  it('is a loop if others deny it', () => {
    expect(said(denied('The user does not allow this statement.'))).toEqual([
      'tool-repeat opened chance 4',
      'tool-repeat escalated block 5',
    ]);
  });

  it('is no further loop if Loopwatch denies it', () => {
    expect(said(denied('Loopwatch denied this call: try something else.'))).toEqual([]);
  });
});
