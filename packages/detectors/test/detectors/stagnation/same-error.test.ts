import type { AgentEvent } from '@loopwatch/contract';
import { describe, expect, it } from 'vitest';
import { call } from '../../sessions.ts';
import { type ShortStep, said, turns } from '../../steps.ts';

const noFile = (folder: string): ShortStep => {
  const path = `${folder}/orders.csv`;
  return ['open', `Error: no such file: '${path}'`, { path }];
};

describe('stagnation', () => {
  it('same-error: opens at the fifth error in a row with varying arguments', () => {
    const paths = ['a', 'b', 'c', 'd', 'e', 'f'].map(noFile);
    expect(said(turns(...paths.slice(0, 4)))).toEqual([]);
    expect(said(turns(...paths))).toEqual([
      'stagnation/same-error opened chance 5',
      'stagnation/same-error escalated block 6',
    ]);
  });

  it('same-error: another error or a success ends the row, another tool does not', () => {
    const four = ['a', 'b', 'c', 'd'].map(noFile);
    const breaks: ShortStep[] = [
      ['open', 'Error: permission denied', { path: 'x' }],
      ['open', 'contents of a file', { path: 'x' }],
    ];
    for (const other of breaks) expect(said(turns(...four, other, noFile('e')))).toEqual([]);
    expect(
      said(turns(...four, ['list', "Error: no such file: 'x/orders.csv'", { path: 'x/orders.csv' }])),
    ).toEqual(['stagnation/same-error opened chance 5']);
  });

  it.each<[string, (n: number) => ShortStep]>([
    ['words', (n) => ['edit_text', `Error: '${'abcdefg'[n] ?? ''}_field' is a required property`, { n }]],
    ['words in JSON', (n) => ['add', { error: `${'abcdefg'[n] ?? ''} is missing` }, { n }]],
    ['a count that falls', (n) => ['run_tests', `${9 - n} failed, ${n} passed`, { part: 'all', n: -n }]],
    ['a size', (n) => ['shrink', `Error: the file is ${(9.3 - n).toFixed(1)} MB, the limit is 2 MB`, { n }]],
    [
      'a duration',
      (n) => ['tune', `Error: too slow, ${(9.41 - n * 1.13).toFixed(2)} s, the limit is 2 s`, { n }],
    ],
    [
      'a share that rises',
      (n) => ['submit', `Error: the index is not complete, ${11 + n * 13}% of it`, { n }],
    ],
    ['another place', (n) => ['build', `error: line ${n * 7 + 3}: expected ';'`, { code: `v${n}` }]],
  ])('same-error: is silent if the error differs each time: %s', (_, step) => {
    expect(said(turns(...[0, 1, 2, 3, 4, 5, 6].map(step)))).toEqual([]);
  });

  it.each<[string, (n: number) => ShortStep]>([
    [
      'a search without hits',
      (n) => ['bash', 'Exit code: 1', { command: `grep -rn ${'abcdefg'[n] ?? ''}x src` }],
    ],
    ['different checks', (n) => [`check_${n}`, 'Error: Command failed with exit code 1']],
  ])('same-error: is silent if the result only says that something failed: %s', (_, step) => {
    expect(said(turns(...[0, 1, 2, 3, 4, 5, 6].map(step)))).toEqual([]);
  });

  it.each<[string, (n: number) => ShortStep]>([
    ['a clock', (n) => ['submit', `Error at 10:0${n}:59: the limit of 70 is reached`, { n }]],
    [
      'sizes up and down',
      (n) => ['shrink', `Error: the file is 3.${(n * 7) % 10} MB, the limit is 2 MB`, { n }],
    ],
  ])('same-error: opens although %s differs', (_, step) => {
    expect(said(turns(...[0, 1, 2, 3, 4].map(step)))).toEqual(['stagnation/same-error opened chance 5']);
  });

  it.each<[string, (n: number) => ShortStep]>([
    [
      'records',
      (n) => ['get_order', `{"error":"not_found","message":"Order ${5500 + n} not found"}`, { id: 5500 + n }],
    ],
    [
      'products',
      (n) => [
        'catalog_get',
        `Error: no product with SKU ${'abcdefg'[n] ?? ''}7`,
        { sku: `${'abcdefg'[n] ?? ''}7` },
      ],
    ],
    [
      'pages',
      (n) => [
        'fetch',
        'Error: Request failed with status code 404',
        { url: `https://a.example/${'abcdefg'[n] ?? ''}` },
      ],
    ],
    [
      'files of configuration',
      (n) => [
        'read_file',
        `Error: ENOENT: no such file or directory, open '/app/${'abcdefg'[n] ?? ''}.config.js'`,
        { path: `${'abcdefg'[n] ?? ''}.config.js` },
      ],
    ],
    [
      'one file in each repository',
      (n) => [
        'get_file',
        'Error: Not Found (see repos/contents)',
        { path: `repos/${'abcdefg'[n] ?? ''}/contents/SECURITY.md` },
      ],
    ],
    [
      'copies that differ',
      (n) => [
        'bash',
        `3c3\n< a\n---\n> b\n(exit code 1)`,
        { command: `diff base.yml ${'abcdefg'[n] ?? ''}.yml` },
      ],
    ],
    [
      'findings in chapters',
      (n) => [
        'bash',
        `docs/ch${n}.md\n  ${12 + n}:${41 - n}  error  Avoid the passive voice.\n\n✖ 1 problem (1 error, 0 warnings)`,
        { command: `vale docs/ch${n}.md` },
      ],
    ],
    [
      'roles that may not',
      (n) => ['evaluate_policy', 'DENIED by policy P4', { role: 'abcdefg'[n], action: 'tenant.delete' }],
    ],
    ['permissions, in German', (n) => ['recht_pruefen', 'verweigert', { rolle: 'abcdefg'[n] }]],
    ['valid numbers', (n) => ['validateIban', 'Invalid IBAN: checksum mismatch', { iban: `DE${n}` }]],
    ['records of mail', (n) => ['dns_check', 'Failed: no MX record', { domain: `${n}.example` }]],
    ['users with access', (n) => ['can_access', 'Access denied: no member', { user: 'abcdefg'[n] }]],
    [
      'packages',
      (n) => [
        'bash',
        `dpkg-query: error: package 'lib${'abcdefg'[n] ?? ''}z' is not installed`,
        { command: `dpkg -s lib${'abcdefg'[n] ?? ''}z` },
      ],
    ],
    [
      'modules',
      (n) => [
        'bash',
        `ModuleNotFoundError: No module named '${'abcdefg'[n] ?? ''}sh'`,
        { command: `python -c "import ${'abcdefg'[n] ?? ''}sh"` },
      ],
    ],
    [
      'files that are no JSON',
      (n) => [
        'bash',
        'jq: parse error: Unfinished JSON term',
        { command: `jq . ${'abcdefg'[n] ?? ''}.json` },
      ],
    ],
  ])('same-error: is silent while a list is checked for %s', (_, step) => {
    expect(said(turns(...[0, 1, 2, 3, 4, 5, 6].map(step)))).toEqual([]);
  });

  it.each<[string, (n: number) => ShortStep]>([
    ['one sheet', (n) => ['get_cells', 'Error: sheet "Sales" not found', { sheet: 'Sales', range: `B${n}` }]],
    [
      'one file in many folders',
      (n) => [
        'read_file',
        `Error: ENOENT: no such file or directory, open '/${'abcdefg'[n] ?? ''}/Data.csv'`,
        { path: `${'abcdefg'[n] ?? ''}/Data.csv` },
      ],
    ],
    [
      'one module for many programs',
      (n) => [
        'bash',
        "ModuleNotFoundError: No module named 'numpy'",
        { command: `python -c "import numpy; print(${n})"` },
      ],
    ],
    [
      'the right to check',
      (n) => ['check_balance', 'Unauthorized: invalid API key', { account: 'abcdefg'[n] ?? '' }],
    ],
    [
      'the right answer',
      (n) => ['verify_identity', 'Denied: it does not match our records', { born: `197${n}` }],
    ],
    ['a tool', (n) => ['search_web', 'Error: tool "search_web" does not exist.', { q: 'abcdefg'[n] ?? '' }]],
    [
      'one column under many names',
      (n) => [
        'sql_query',
        'Error: column does not exist',
        { sql: `SELECT ${'abcdefg'[n] ?? ''} FROM orders` },
      ],
    ],
  ])('same-error: opens if it is %s that is not there', (_, step) => {
    expect(said(turns(...[0, 1, 2, 3, 4].map(step)))[0]).toMatch(/^stagnation\/same-\w+ opened chance [45]$/);
  });

  it('same-error: counts a step as one error if its parallel calls all fail alike', () => {
    const batch = (n: number): AgentEvent[] => [
      { type: 'turn_started' },
      ...['x', 'y'].map(
        (part): AgentEvent => ({ ...call('open', { path: `${part}${n}/a.txt` }), callId: `${part}${n}` }),
      ),
      ...['x', 'y'].map((part): AgentEvent => {
        const result = `Error: no such file: '${part}${n}/a.txt'`;
        return { type: 'tool_result', callId: `${part}${n}`, result };
      }),
    ];
    expect(said([1, 2, 3, 4, 5].flatMap(batch))).toEqual(['stagnation/same-error opened chance 5']);
  });
});
