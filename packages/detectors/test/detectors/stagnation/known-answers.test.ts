import type { AgentEvent } from '@loopwatch/contract';
import { describe, expect, it } from 'vitest';
import { said, turns } from '../../steps.ts';

type Call = readonly [name: string, result: unknown, args: Record<string, unknown>];

const rows = (name: string) =>
  `Returned 20 of 20 rows in 14 ms\nid | name\n1 | ${name}_a\n2 | ${name}_b\n3 | ${name}_c`;
const sql = (query: string, answer: string, limit?: number): Call => [
  'pg_query',
  rows(answer),
  limit === undefined ? { query } : { query, limit },
];
const queries: readonly Call[] = [
  sql('select name from depots', 'yard'),
  sql('select name from depots order by id', 'depot'),
  sql('select name from depots where open', 'yard'),
  sql('select name from depots order by id', 'depot', 50),
  sql('select name from depots where open order by id', 'depot'),
  sql('select name from depots where open', 'yard', 50),
  sql('select name from depots', 'yard', 50),
  sql('select name from depots where open order by id', 'depot', 50),
  sql('select name from depots', 'yard'),
];

const page = (title: string) =>
  `{"hits":[{"title":"${title}","url":"https://wiki.example/${title}","score":0.81}],"took":12}`;
const searched =
  'tram lines of the city|city tram lines|lines of the tram|tram lines city|city tram lines|tram lines of the city|the tram lines of the city|lines of the city tram|city lines tram';
const searches: readonly Call[] = searched
  .split('|')
  .map((q, i) => [
    'kb_search',
    page(i % 3 === 1 ? 'Depots_of_the_city' : 'Trams_of_the_city'),
    { q, top: 5 + (i % 2) },
  ]);

const log = (flags: string, answer: string): Call => [
  'bash',
  answer,
  { command: `git log ${flags} src/cart.ts` },
];
const first = '9f2 cart: add the total\n1c0 cart: begin\n0aa all: import the sources';
const second = '9f2 cart: add the total (HEAD)\n1c0 cart: begin\n0aa all: import the sources';
const logs: readonly Call[] = [
  log('--oneline', first),
  log('--oneline --decorate', second),
  log('--decorate --oneline', second),
  log('--oneline -n 20', first),
  log('--oneline --decorate -n 20', second),
  log('-n 20 --oneline', first),
  log('--no-merges --oneline', first),
  log('--oneline --no-merges --decorate', second),
  log('--oneline --all', first),
];

const runs = (lines: string, result: (i: number) => string, tool = 'bash'): Call[] =>
  lines.split('|').map((command, i) => [tool, result(i), { command: command.replaceAll('¦', '|') }]);
const vitest = runs(
  'npx vitest run src/cart.test.ts|npx vitest run src/cart.test.ts --reporter=verbose|npx vitest run --no-coverage src/cart.test.ts|' +
    'npx vitest run src/cart.test.ts -t "adds a line"|npx vitest run src/cart.test.ts --reporter verbose --no-coverage|' +
    'npx vitest run src/cart.test.ts --no-cache|npx vitest run src/cart.test.ts --bail',
  (i) => ` Test Files  1 passed (1)\n      Tests  12 passed (12)\n   Duration  ${500 + i * 7}ms`,
);
const cargo = runs(
  'cargo check|cargo check --all-targets|cargo check -v|cargo check --workspace|cargo check --message-format short|cargo check --locked|cargo check -q',
  (i) => `    Finished \`dev\` profile [unoptimized + debuginfo] target(s) in 0.${30 + i}s`,
  'run_shell_command',
);
const silent = runs(
  'npx tsc --noEmit|npx tsc --noEmit --pretty false|cd web && npx tsc --noEmit|npx tsc --noEmit --incremental false|npx tsc --noEmit --skipLibCheck|npx tsc --noEmit --strict|npx tsc --noEmit',
  () => '',
  'Bash',
);
const piped = runs(
  'cd app && pytest -q tests/test_cart.py 2>&1 ¦ tail -5|cd app && pytest tests/test_cart.py -q 2>&1 ¦ tail -20|cd app && python -m pytest -q tests/test_cart.py|' +
    'pytest -q tests/test_cart.py -p no:cacheprovider 2>&1 ¦ tail -5|pytest -q tests/test_cart.py -x|pytest -q -rA tests/test_cart.py ¦ head -50|pytest tests/test_cart.py -q -s',
  (i) => `......                                      [100%]\n6 passed in 0.${10 + i}s`,
);
const fetched = runs(
  'curl -s http://localhost:3000/api/items|curl -sS http://localhost:3000/api/items|curl http://localhost:3000/api/items|' +
    'curl -s -H "Accept: application/json" http://localhost:3000/api/items|curl -s --compressed http://localhost:3000/api/items|curl -sL http://localhost:3000/api/items|curl -s -4 http://localhost:3000/api/items',
  () => '{"items":[{"id":1,"name":"lamp"},{"id":2,"name":"desk"}],"total":2}',
);

const logged = runs(
  ['1', 'full', 'short', 'all', '2', '3', '4']
    .map((level) => `cd app && RUST_BACKTRACE=${level} cargo test cart`)
    .join('|'),
  (i) => `test result: ok. 12 passed; 0 failed; finished in 0.${String(20 + i)}s`,
);

const grepped = runs(
  '-rn|-rni|-rnw|-rnF|-rnE|-rnI|-rnl|-rnc'
    .split('|')
    .map((options, i) => (i % 2 ? 'rg -n legacyTotal .' : `grep ${options} legacyTotal .`))
    .join('|'),
  () => '',
);

const flags = [{}, { '-i': true }, { output_mode: 'content' }, { '-n': true }, { output_mode: 'count' }];
const missed = Array.from(
  { length: 12 },
  (_, i): Call => [
    'Grep',
    'No files found',
    { pattern: 'legacyTotal', path: '/srv/app', ...flags[i % 5], ...flags[(i * 3) % 4] },
  ],
);
const looked = (calls: readonly Call[]): Call[] =>
  calls.flatMap((call, i): Call[] => [
    call,
    ['read_file', `part ${i} of the sources, with what it says there`, { path: `src/${i}.ts` }],
  ]);
const changed = (calls: readonly Call[], change: (i: number) => Call): AgentEvent[] =>
  turns(...calls.flatMap((call, i) => [call, change(i)]));
const edit = (i: number): Call => [
  'edit_file',
  `The file src/${i}.ts has been updated.`,
  { path: `src/${i}.ts`, text: `${i}` },
];
const sed = (i: number): Call => ['bash', '', { command: `sed -i 's/a${i}/b/' src/cart.ts` }];

const opened = (events: readonly AgentEvent[]) => said(events).filter((line) => / opened /.test(line));

describe('known answers', () => {
  it.each([
    ['a few queries with two results', turns(...queries)],
    ['a few searches with two pages of hits', turns(...searches)],
    ['a few commands that look, with two results', turns(...logs)],
    ['tests with other options', turns(...vitest)],
    ['a build check with other options', turns(...cargo)],
    ['a silent type check with other options', turns(...silent)],
    ['tests in other pipes', turns(...piped)],
    ['a page fetched with other options', turns(...fetched)],
    ['tests with other variables for their log', turns(...logged)],
    ['tests with other options, with a look in between', turns(...looked(vitest))],
    ['a search that finds nothing with other options', turns(...missed)],
    ['a search by two programs that print nothing', turns(...grepped)],
  ])('are a loop: %s', (_, events) => {
    expect(opened(events)).toEqual([
      expect.stringMatching(/^stagnation\/(?:same-answer|known-answers|nothing-new) opened chance/),
    ]);
  });

  const names = 'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu'.split(' ');
  const two = (i: number) =>
    i % 3 === 1
      ? 'The account is in arrears: a reminder was sent, and it is locked until it is paid.'
      : 'The account is in good standing: all invoices are paid, and no limit applies to it.';
  it.each([
    ['accounts of two kinds', turns(...names.map((name, i): Call => ['get_account', two(i), { name }]))],
    [
      'orders of two kinds, by number',
      turns(...names.map((_, i): Call => ['get_order', two(i), { shop: 'north', number: 4100 + i }])),
    ],
    [
      'symbols in two files',
      turns(
        ...names.map(
          (pattern, i): Call => [
            'Grep',
            `Found 1 file\n/srv/app/src/${i % 2 ? 'cart' : 'total'}.ts`,
            { pattern, path: '/srv/app' },
          ],
        ),
      ),
    ],
    [
      'patterns that are in none of three folders',
      turns(
        ...names.flatMap((pattern) =>
          ['/srv/app', '/srv/lib', '/srv/web'].map(
            (path): Call => ['Grep', 'No files found', { pattern, path }],
          ),
        ),
      ),
    ],
    [
      'queries with changes in between',
      changed(queries, (i) => ['insert_row', `Inserted row ${i}`, { row: i }]),
    ],
    [
      'tests of one file after another',
      turns(
        ...runs(
          names.map((name) => `pytest -q tests/test_${name}.py`).join('|'),
          (i) => `.                [100%]\n1 passed in 0.${10 + i}s`,
        ),
      ),
    ],
    [
      'tests picked one by one',
      turns(
        ...runs(
          names.map((name) => `go test -run Test${name} ./internal/cart`).join('|'),
          () => 'ok  \texample.org/cart\t0.190s',
        ),
      ),
    ],
    [
      'one folder after another',
      turns(
        ...runs(
          names.map((name) => `cd packages/${name} && npm audit --omit=dev`).join('|'),
          () => 'found 0 vulnerabilities in 214 packages',
        ),
      ),
    ],
    [
      'one account after another',
      turns(
        ...runs(
          names.map((name) => `AWS_PROFILE=${name} LOG_LEVEL=info ./check-buckets --public`).join('|'),
          () => 'checked: there are no public buckets here',
        ),
      ),
    ],
    [
      'one host after another behind a pipe',
      turns(
        ...runs(
          names.map((name) => `printf 'PING' ¦ nc -w1 ${name}.example 6379`).join('|'),
          () => '+PONG, said by a server of the cluster',
        ),
      ),
    ],
    ...['workdir', 'host', 'pod'].map((field): [string, AgentEvent[]] => [
      `one ${field} after another, as an argument of its own`,
      turns(
        ...names.map(
          (name): Call => [
            'exec_command',
            'Description: Debian GNU/Linux 13 (trixie)',
            { cmd: 'lsb_release -d', [field]: name },
          ],
        ),
      ),
    ]),
    [
      'files converted one after another',
      turns(
        ...runs(
          names.map((name) => `python convert.py --input=${name}.csv --to json`).join('|'),
          () => 'converted 1 file to json, 0 problems',
        ),
      ),
    ],
    ['tests with edits in between', changed(vitest, edit)],
    ['tests with sed in between', changed(vitest, sed)],
    [
      'files staged one after another',
      turns(...runs(names.map((name) => `git add src/${name}.ts`).join('|'), () => '')),
    ],
    [
      'rows added with one receipt',
      turns(
        ...runs(names.map((_, i) => `psql -c "insert into t values (${i})"`).join('|'), () => 'INSERT 0 1'),
      ),
    ],
    [
      'a state that is watched',
      turns(
        ...runs(
          names.map((_, i) => `kubectl get pods -n web${i % 2 ? ' -o wide' : ''}`).join('|'),
          () => 'web-0   0/1   Pending   0',
        ),
      ),
    ],
    ['three runs with other options', turns(...vitest.slice(0, 3))],
  ])('are no loop: %s', (_, events) => {
    expect(said(events)).toEqual([]);
  });
});
