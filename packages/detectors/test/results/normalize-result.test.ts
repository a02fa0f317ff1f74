import { describe, expect, it } from 'vitest';
import { agentKnowledge } from '../../src/agents/agent-knowledge.ts';
import { canonicalArguments } from '../../src/lib/canonical-json.ts';
import { type NormalizedResult, normalizeResult } from '../../src/results/normalize-result.ts';
import type { ResultKind } from '../../src/results/result-kind.ts';
import type { CallText } from '../../src/results/strip-echoed-args.ts';

const agents = agentKnowledge({});
const resultForm = (
  result: unknown,
  isError: boolean | null | undefined,
  call: CallText = { name: '', said: '{}' },
): NormalizedResult => normalizeResult(result, isError, call, agents);

const form = (result: unknown): string => resultForm(result, null).form;

describe('a duration or an id that is all of the answer', () => {
  const ask = (result: unknown, said = '{"gauge":"p99"}') =>
    resultForm(result, null, { name: 'get_gauge', said }).form;

  it.each([
    ['a field beside what was asked for', { gauge: 'p99', ms: 812 }, { gauge: 'p99', ms: 775 }],
    ['a lone value', '812 ms', '775 ms'],
    ['a lone id', { session_id: 'k3v9x2m1q8' }, { session_id: 'z7ab41c0pd' }],
  ])('is news: %s', (_, one, other) => {
    expect(ask(one)).not.toBe(ask(other));
  });

  it.each([
    ['with another value', { gauge: 'p99', rows: 0, ms: 812 }, { gauge: 'p99', rows: 0, ms: 775 }],
    [
      'beside an empty list',
      { rows: [], request_id: 'req_a8d7f6e5c4b3' },
      { rows: [], request_id: 'req_91c0e2b7d6f4' },
    ],
    ['with words', 'took 812 ms in all', 'took 775 ms in all'],
    ['in an error', 'Error after 812 ms', 'Error after 775 ms'],
    ['beside what was done', 'Finished in 2.1s', 'Finished in 2.4s'],
  ])('is none %s', (_, one, other) => {
    expect(ask(one)).toBe(ask(other));
  });

  it.each([
    ['with a label', 'Elapsed: 2.37 s', 'Elapsed: 2.26 s'],
    ['of a shell', 'real 0m1.231s\nuser 0m0.9s\nsys 0m0.1s', 'real 0m1.422s\nuser 0m0.9s\nsys 0m0.1s'],
    [
      'of an operation',
      'BenchmarkParse-8  500000  2451 ns/op\nPASS',
      'BenchmarkParse-8  500000  2310 ns/op\nPASS',
    ],
    [
      'with its spread',
      'Time (mean ± σ):  1.645 s ± 0.068 s  [Runs: 10]',
      'Time (mean ± σ):  1.612 s ± 0.041 s  [Runs: 10]',
    ],
    ['of most requests', 'requests 1000\np95 latency: 303 ms', 'requests 1000\np95 latency: 341 ms'],
  ])('is news: a duration %s', (_, one, other) => {
    expect(ask(one)).not.toBe(ask(other));
  });

  it.each([
    ['bash', './bench.sh', true],
    ['bash', 'cargo bench --offline', true],
    ['bash', 'pytest --benchmark-only', true],
    ['bash', 'pgbench -c 4 shop', true],
    ['measure_load_time', undefined, true],
    ['bash', 'cd /srv/bench && npm test', false],
    ['bash', 'ls bench/results', false],
    ['bash', 'npm test', false],
    ['read_file', 'bench.txt', false],
  ])('is what %s %s measures: %o', (name, command, expected) => {
    const of = (ms: number) =>
      resultForm(`3 rows were written in ${ms} ms`, null, {
        name,
        said: JSON.stringify({ command }),
        runs: name === 'bash',
      }).form;
    expect(of(812) !== of(775)).toBe(expected);
  });
});

describe('normalized results ignore', () => {
  it.each([
    ['terminal colors', '\u001b[31mFAIL\u001b[0m a.test.ts', 'FAIL a.test.ts'],
    ['a time', '2026-03-04T10:11:12Z packed', '2026-03-04T10:11:19.120Z packed'],
    ['a time with an offset', '2026-03-04 10:11:12,113 INFO up', '2026-03-05 11:00:00,001 INFO up'],
    ['a date line', 'Date: Tue, 03 Mar 2026 10:11:12 GMT', 'Date: Wed, 04 Mar 2026 09:00:01 GMT'],
    ['a clock', 'started at 10:11:12', 'started at 10:11:59'],
    ['a UUID', 'job 1b4e28ba-2fa1-11d2-883f-0016d3cca427', 'job 6fa459ea-ee8a-3ca4-894e-db77e160355e'],
    ['an address', '<Order object at 0x7f3c2a1b>', '<Order object at 0x7f9911aa>'],
    ['seconds', '1 failed, 11 passed in 0.12s', '1 failed, 11 passed in 0.48s'],
    [
      'seconds with a decimal comma',
      '1 Test fehlgeschlagen, Dauer 0,53 s',
      '1 Test fehlgeschlagen, Dauer 14,07 s',
    ],
    ['milliseconds', 'Tests  12 passed (12)\nDuration 812ms', 'Tests  12 passed (12)\nDuration 1044ms'],
    ['a process id', 'running (pid 4117)', 'running (pid 4203)'],
    ['a process id in JSON', { pid: 4117, state: 'up' }, { pid: 4203, state: 'up' }],
    ['a request id', 'x-request-id: req-81af, not found', 'x-request-id: req-99bc, not found'],
    ['a request id in JSON', { request_id: 'a81f33', rows: 0 }, { request_id: 'c00d11', rows: 0 }],
    ['a trace id', 'error (trace_id=81afc3)', 'error (trace_id=99bc01)'],
    ['epoch seconds', { at: 1772000000, n: 1 }, { at: 1772000417, n: 1 }],
    ['epoch milliseconds', 'n=1 at 1772000000123', 'n=1 at 1772000417999'],
    ['a timestamp field', { timestamp: 12.5, n: 1 }, { timestamp: 99.1, n: 1 }],
    ['an elapsed field', '{"elapsed_ms": 12, "n": 1}', '{"elapsed_ms": 9912, "n": 1}'],
    ['a temporary file', '/tmp/tmpab3k_x1/main.py: no', '/tmp/tmpzz91c0q/main.py: no'],
    ['the number of an attempt', 'Attempt 2: rejected', 'Attempt 3: rejected'],
    ['the number of remaining attempts', 'Wrong. 8 attempts left.', 'Wrong. 7 attempts left.'],
    ['white space', 'a\r\n  b', 'a\n b'],
    ['the order of keys', { a: 1, b: 2 }, { b: 2, a: 1 }],
  ])('%s', (_, one, other) => {
    expect(form(one)).toBe(form(other));
  });

  it.each([
    ['a count', '3 failed, 9 passed', '2 failed, 10 passed'],
    ['a percentage', 'running, 10 % done', 'running, 20 % done'],
    ['a line number', 'a.ts(12,3): error TS2304', 'a.ts(14,3): error TS2304'],
    ['a page', 'page 1 of 9', 'page 2 of 9'],
    ['a state', { state: 'running' }, { state: 'finished' }],
    ['a word', 'red mug', 'green mug'],
    ['a named file in a shared folder', '/tmp/report-1.txt', '/tmp/report-2.txt'],
    ['a price', '12.99 EUR', '13.99 EUR'],
    ['a short number', '5', '6'],
    ['the order of rows', [1, 2], [2, 1]],
    ['upper and lower case', 'Total', 'total'],
    ['a long tail', `${'x'.repeat(70_000)}a`, `${'x'.repeat(70_000)}b`],
    ['an empty and a non-empty result', '', '0'],
  ])('but not %s', (_, one, other) => {
    expect(form(one)).not.toBe(form(other));
  });
});

const text = (inner: string): unknown => ({ content: [{ type: 'text', text: inner }], isError: true });

describe('the kind of a result', () => {
  it.each<[string, unknown, ResultKind]>([
    ['pytest, failing', 'E   AssertionError: assert 99 == 100\n1 failed in 0.12s', 'error'],
    ['pytest, passing', '....................\n20 passed in 0.31s', 'ok'],
    ['pytest, a report with failures', '= test session starts =\ncollected 12 items\n12 failed', 'error'],
    ['npm, an error', 'npm error code ENOENT\nnpm error path /a/package.json', 'error'],
    ['npm, ENOENT with its path', 'ENOENT: no such file or directory, open package.json', 'error'],
    ['npm, an error of older versions', 'npm ERR! code ELIFECYCLE', 'error'],
    ['jest, none failed', 'Tests: 0 failed, 12 passed', 'ok'],
    ['npm, installed', 'added 214 packages in 4s', 'ok'],
    ['npm, vulnerabilities', 'found 0 vulnerabilities', 'ok'],
    ['tsc', "Error: src/a.ts(3,1): error TS2304: Cannot find name 'x'.", 'error'],
    ['curl, refused', 'curl: (7) Failed to connect to a.example port 80: Connection refused', 'error'],
    ['curl, timed out', 'curl: (28) Operation timed out after 3000 milliseconds', 'transient'],
    ['curl, a page', '<!doctype html><title>Shop</title>', 'ok'],
    ['HTTP 200', 'HTTP/1.1 200 OK', 'ok'],
    ['HTTP 404', 'Error: 404 Not Found', 'error'],
    ['HTTP 429', 'HTTP 429 Too Many Requests', 'transient'],
    ['HTTP 500', 'Error: status 500', 'transient'],
    ['HTTP 502', '502 Bad Gateway', 'transient'],
    ['HTTP 503', 'Service Unavailable (503)', 'transient'],
    ['HTTP 504', '<h1>504 Gateway Time-out</h1>', 'transient'],
    ['a rate limit', 'Rate limit reached for requests', 'transient'],
    ['a time-out', 'TimeoutError: timed out', 'transient'],
    ['ETIMEDOUT', 'connect ETIMEDOUT 10.0.0.1:443', 'transient'],
    ['ECONNREFUSED', 'connect ECONNREFUSED 10.0.4.12:5432', 'error'],
    ['ECONNRESET', 'read ECONNRESET', 'transient'],
    ['an overloaded model', '{"type":"error","error":{"type":"overloaded_error"}}', 'transient'],
    ['an MCP error', text('No presentation is loaded'), 'error'],
    ['an MCP error as JSON', '{"isError": true, "content": [{"type": "text", "text": "no"}]}', 'error'],
    ['an MCP result as JSON', '{"isError": false, "content": [{"type": "text", "text": "yes"}]}', 'ok'],
    ['an MCP error as Python prints it', "meta=None content=[TextContent(text='no')] isError=True", 'error'],
    ['an MCP result as Python prints it', "meta=None content=[TextContent(text='a')] isError=False", 'ok'],
    [
      'an error in JSON in JSON',
      '{"content":[{"text":"{\\n \\"error\\": \\"No presentation is loaded\\"\\n}"}]}',
      'error',
    ],
    ['a JSON error', { error: 'no such order' }, 'error'],
    ['a JSON error object', { error: { code: 7, message: 'no' } }, 'error'],
    ['a JSON error that is null', { error: null, rows: [1] }, 'ok'],
    ['a JSON error that is empty', { error: '', rows: [1] }, 'ok'],
    ['a JSON error object that is empty', '{"error": {}, "rows": [1]}', 'ok'],
    ['a JSON status of error', { status: 'error' }, 'error'],
    ['a JSON status of success', { status: 'success' }, 'ok'],
    ['a Python dict', "{'error': 'no such order'}", 'error'],
    ['a traceback', 'Traceback (most recent call last):\n  File "a.py", line 3\nKeyError: 4', 'error'],
    ['an exception', 'java.lang.IllegalStateException: closed\n\tat A.b(A.java:3)', 'error'],
    ['a ValueError', 'ValueError: invalid literal', 'error'],
    ['a line that begins with error', 'error: pathspec main did not match', 'error'],
    ['a shell', 'bash: foo: command not found', 'error'],
    ['a shell error without the name of the shell', 'command not found: foo', 'error'],
    ['an exit code', 'Command exited with code 1', 'error'],
    ['exit code 0', 'exit code: 0\nok', 'ok'],
    ['exit code 127', 'exit code: 127', 'error'],
    ['permission denied', 'Permission denied', 'error'],
    ['EACCES', "Error: EACCES: permission denied, open '/etc/shadow'", 'error'],
    ['usage', 'usage: tool [-h] FILE', 'error'],
    ['an invalid action', 'Invalid action!', 'error'],
    ['something unknown', 'Unknown tool: genrate', 'error'],
    ['something not found', 'Not found: order 17', 'error'],
    ['an invalid field', '2 validation errors for Event\nstart\n  Field required', 'error'],
    ['an edit that matches nothing', 'No replacement was performed, old_str `a` is not there.', 'error'],
    ['a rejection by the user', 'The user rejected this tool use.', 'not_run'],
    ['a rejection by a rule', 'Permission to run this command was denied.', 'error'],
    ['an operation that is not permitted', 'This operation is not permitted here', 'error'],
    ['no hits', 'No matches found', 'ok'],
    ['a long text that mentions a denial', `${'He said. '.repeat(40)} The user denied it.`, 'ok'],
    ['an empty string', '', 'ok'],
    ['nothing', null, 'ok'],
    ['undefined', undefined, 'ok'],
    ['true', true, 'ok'],
    ['a number', 42, 'ok'],
    ['429 as a number', 429, 'ok'],
    ['an empty list', [], 'ok'],
    ['a text that mentions an error', 'The report says that 3 errors were found last year.', 'ok'],
    ['a file that handles errors', 'import { fail } from "../calls/a.ts";\nif (error) throw error;', 'ok'],
    ['a long text that mentions a timeout', `${'words '.repeat(150)} timeout`, 'ok'],
    ['an error far into a long text', `${'words '.repeat(200)} Error: no`, 'ok'],
    ['a log with 429 orders', 'orders: 429\nusers: 503', 'ok'],
  ])('%s', (_, result, kind) => {
    expect(resultForm(result, null).kind).toBe(kind);
  });

  it('follows the event’s error flag, whatever the text says', () => {
    expect(resultForm('Error: no', false).kind).toBe('ok');
    expect(resultForm('HTTP 503 Service Unavailable', false).kind).toBe('ok');
    expect(resultForm('all fine', true).kind).toBe('error');
    expect(resultForm('HTTP 503 Service Unavailable', true).kind).toBe('transient');
  });
});

const calling = (args: unknown) => ({ name: 'open', said: canonicalArguments(args).slice(0, 4096) });

describe('the failure of a result', () => {
  const failure = (result: string): string | null => resultForm(result, true).failure;
  const stack = (line: number) =>
    `Traceback (most recent call last):\n  File "<stdin>", line ${line}\n    load(${line})\nKeyError: 'price'`;

  it.each([
    ['Python stack trace', stack(3), stack(14)],
    ['Python stack trace in JSON', JSON.stringify(stack(3)), JSON.stringify(stack(14))],
    [
      'Node stack trace',
      'Error: no\n    at f (/a.js:3:1)',
      'Error: no\n    at g (/b.js:9:7)\n    at /c.js:1:1',
    ],
    [
      'position in the arguments',
      'Invalid JSON: line 1 column 20 (char 19)',
      'Invalid JSON: line 1 column 31 (char 30)',
    ],
    ['missing command', 'bash: foo: command not found', 'bash: bar: command not found'],
  ])('is the same despite another %s', (_, one, other) => {
    expect(failure(one)).toBe(failure(other));
  });

  it.each([
    ['another message', 'Error: no such file', 'Error: no permission'],
    ['another name', "'file_path' is a required property", "'ranges' is a required property"],
    ['a count', '9 failed, 3 passed', '8 failed, 4 passed'],
    ['another line number', 'error: line 3: expected ;', 'error: line 17: expected ;'],
    ['another message in JSON', '{"error": "name is required"}', '{"error": "age must be a number"}'],
  ])('differs with %s', (_, one, other) => {
    expect(failure(one)).not.toBe(failure(other));
  });

  it.each([
    'Exit code: 1',
    '(no output)\nCommand exited with code 127',
    'Error',
    'meta=None content=[] isError=True',
    '',
  ])('is null for %j, which only says that something failed', (result) => {
    expect(resultForm(result, true)).toMatchObject({ kind: 'error', failure: null });
  });

  it('is null when nothing failed', () => {
    expect(resultForm('fine', null).failure).toBeNull();
  });

  it.each([
    [
      'PostgreSQL',
      (sql: string) =>
        `ERROR:  column "custmer" does not exist\nLINE 1: ${sql.slice(0, 24)}...\n        ${' '.repeat(sql.indexOf('c'))}^\nHINT:  Perhaps you meant "customer".`,
    ],
    [
      'PostgreSQL, in JSON',
      (sql: string) => JSON.stringify({ error: `no column "custmer"\nLINE 1: ${sql}\n   ^` }),
    ],
    ['SQLite', (sql: string) => `Parse error: no such column: custmer\n  ${sql}\n      ^--- error here`],
    ['MySQL', (sql: string) => `You have an error near '${sql.slice(sql.indexOf('c'))}' at line 1`],
    ['BigQuery', (sql: string) => `Unrecognized name: custmer at [1:${sql.indexOf('c')}]`],
    ['Trino', (sql: string) => `line 1:${sql.indexOf('c')}: Column 'custmer' cannot be resolved`],
    ['a code frame', (sql: string) => `Unexpected token\n\n> 1 | ${sql}\n    |   ^\n  2 | log(1)`],
  ])('is the same although %s quotes another query', (_, message) => {
    const ask = (sql: string) => resultForm(message(sql), true, calling({ sql }));
    const [one, other] = [ask('SELECT custmer FROM orders'), ask('SELECT id, custmer FROM orders LIMIT 5')];
    expect(one.gist).toBe(other.gist);
    expect(one.head).toBe(other.head);
    expect(one.head).not.toBeNull();
  });

  it('has another head if it names another field, however deep in a record below a heading', () => {
    const head = (field: string) => {
      const text = `Input validation error: '${field}' is a required property`;
      const record = JSON.stringify({ content: [{ type: 'text', text }], isError: true }, null, 2);
      return resultForm(`Result:\n${record}`, true, calling({ file: 'a.ts' })).head;
    };
    expect(head('start')).not.toBe(head('end'));
    expect(head('start')).toBe(head('start'));
  });

  it('differs if it quotes other lines than those of the call', () => {
    const gist = (line: string) =>
      resultForm(`no\n> 1 | ${line}\n    | ^`, true, calling({ file: 'a.ts' })).gist;
    expect(gist('const a = ;')).not.toBe(gist('const b = ;'));
  });

  it.each([
    [
      'a version',
      (n: number) => [`pip install sdk==1.${n}`, `ERROR: no version for sdk==1.${n} (from none)`],
    ],
    ['a port', (n: number) => [`PORT=80${n}0 npm start`, `Error: listen EACCES: denied 0.0.0.0:80${n}0`]],
  ])('has the same gist when it echoes %s without quotes', (_, say) => {
    const gist = (n: number) => {
      const [command = '', message = ''] = say(n);
      return resultForm(message, true, calling({ command })).gist;
    };
    expect(gist(1)).toBe(gist(2));
  });

  it('has the same gist when the error merely echoes different arguments', () => {
    const gist = (path: string) => resultForm(`Error: no such file: '${path}'`, true, calling({ path })).gist;
    expect(gist('/srv/a.txt')).toBe(gist('b.txt'));
    expect(gist('/srv/a.txt')).not.toBe(resultForm("Error: no such file: 'c.txt'", true, calling({})).gist);
  });
});

describe('empty results', () => {
  it.each([
    [],
    'No results found.',
    'no matches',
    '0 results',
    'Nothing was found for this query.',
    'No relevant documents found in the index',
  ])('include %j', (result) => {
    expect(resultForm(result, null).empty).toBe(true);
  });

  it.each([
    'No person of that name in the register.',
    'no',
    'ok',
    { rows: [1] },
    'No results, but a page: trams.eu'.repeat(4),
  ])('do not include %j', (result) => {
    expect(resultForm(result, null).empty).toBe(false);
  });
});

describe('bare confirmations', () => {
  it.each([
    '',
    null,
    true,
    'ok',
    'OK.',
    'done',
    [],
    {},
    'The file a.py has been edited successfully.',
    'Todos have been modified successfully. Go on.',
    'Your thought has been logged.',
    { success: true },
    { status: 'ok' },
    'Saved notes.md (214 bytes)',
    'attempt 3 finished in 3.2 s\n',
  ])('include %j', (result) => {
    expect(resultForm(result, null)).toMatchObject({ bare: true, trivial: true });
  });

  it.each([
    '1. Trams of the world. 2. Trams.',
    'page 2: red mug, green mug',
    '12 passed, 3 failed in 4 files',
    'modified: a.ts, b.ts, c.ts',
    '3 orders, the last one created on Monday',
  ])('do not include %j', (result) => {
    expect(resultForm(result, null)).toMatchObject({ bare: false, trivial: false });
  });

  it('do not include a short answer, which is trivial but not bare', () => {
    expect(resultForm('12 degrees', null)).toMatchObject({ bare: false, trivial: true });
  });
});

describe('normalization copes with', () => {
  const deep = JSON.parse(`${'['.repeat(10_000)}${']'.repeat(10_000)}`) as unknown;
  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = cyclic;

  it.each<[string, unknown]>([
    ['5 MB of letters', 'x'.repeat(5_000_000)],
    ['5 MB of words', 'some words '.repeat(500_000)],
    [
      '5 MB as an object',
      { rows: Array.from({ length: 100_000 }, (_, id) => ({ id, name: `row number ${id}` })) },
    ],
    ['endless digits', '1'.repeat(60_000)],
    ['endless slashes', '/a'.repeat(30_000)],
    ['dots and slashes', '../..'.repeat(15_000)],
    ['endless quotes', '"\'`'.repeat(20_000)],
    ['endless escapes', '\u001b['.repeat(30_000)],
    ['white space', ' '.repeat(65_536)],
    ['a missing process id', `pid${' '.repeat(65_000)}`],
    ['a missing request id', `request id${' '.repeat(65_000)}`],
    ['names of days', 'Mon, '.repeat(13_000)],
    ['endless ids', `request_id ${'-'.repeat(60_000)}`],
    ['deep nesting', deep],
    ['a cycle', cyclic],
    ['a lone surrogate', '\ud800'],
    ['a function', () => 1],
    ['a symbol', Symbol('s')],
    ['a BigInt', 10n ** 40n],
  ])('%s', { timeout: 30_000 }, (_, result) => {
    const { form, failure, gist, shown } = resultForm(result, true, calling(result));
    expect(form.length).toBeLessThanOrEqual(65);
    expect(failure?.length ?? 0).toBeLessThanOrEqual(65);
    expect(gist.length).toBeLessThanOrEqual(65);
    expect(shown.length).toBeLessThanOrEqual(400);
  });
});
