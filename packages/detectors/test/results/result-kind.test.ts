import { describe, expect, it } from 'vitest';
import { agentKnowledge } from '../../src/agents/agent-knowledge.ts';
import { normalizeResult } from '../../src/results/normalize-result.ts';
import type { CallText } from '../../src/results/strip-echoed-args.ts';

const agents = agentKnowledge({});
const kindOf = (result: string, isError: boolean | null, call: Partial<CallText> = {}): string =>
  normalizeResult(result, isError, { name: 'call', said: '{}', ...call }, agents).kind;

describe('an outage', () => {
  it.each([
    'requests.exceptions.ConnectTimeout: HTTPSConnectionPool(host=a.example): connect timeout=5',
    'MCP error -32001: Request timed out',
    'curl: (56) Recv failure: Connection reset by peer',
    'psql: error: connection to server timed out',
    '<html><title>502 Bad Gateway</title></html>',
    "{'status': 'error', 'status_code': 503, 'detail': 'x'}",
    'rpc error: code = DeadlineExceeded desc = context deadline exceeded',
    'upstream connect error or disconnect/reset before headers',
    'getaddrinfo EAI_AGAIN registry.example',
    'socket hang up',
    'Tool execution failed: the server is overloaded, please try later',
  ])('is recognized in %j without an error flag', (result) => {
    expect(kindOf(result, null)).toBe('transient');
  });

  it.each([
    '500 Internal Server Error',
    'ThrottlingException: Rate exceeded',
    '429 Quota exceeded for metric',
    'rpc error: code = Unavailable desc = transport is closing',
    'net::ERR_CONNECTION_TIMED_OUT',
    '{"code":"TooManyRequests"}',
    `HTTP 503: ${'<p>we are down for maintenance</p>'.repeat(40)}`,
    `Traceback (most recent call last):\n${'  File "a.py", line 3\n'.repeat(60)}HTTPError: 503 Service Unavailable`,
  ])('is recognized in %j with an error flag', (result) => {
    expect(kindOf(result, true)).toBe('transient');
  });

  it.each([
    ['git log', 'Fix timed out queue jobs', { runs: true, looks: true }],
    ['grep', 'src/a.ts:12: // rate limited by the gateway', { reads: true }],
    ['a test run', 'ok 1 - timed out request is retried', { runs: true }],
    ['a commit', '[main 3f2a] rate limited clients wait', { runs: true }],
    ['a count', 'timed out: 0, ok: 3534', {}],
    ['a row', 'timed out | 2', {}],
    ['the status of an earlier run', '{"status":"failed","reason":"the job timed out"}', { reads: true }],
    ['a setting', '{"error":"page.html","timeout":30}', { reads: true }],
    ['a ticket', 'HTTP 503 when I open the page', { reads: true }],
    ['a page', '504 Gateway Timeout - HTTP | Docs', { reads: true }],
    ['the tail of a log', 'ERROR upstream a.example timed out', { runs: true, looks: true }],
    [
      'text from the call’s own arguments',
      'saved: // avoid rate limits',
      { said: '{"text":"// avoid rate limits"}' },
    ],
    [
      'the name of a parameter',
      'Get "https://a.example/api?timeout=32s": connection refused',
      { runs: true },
    ],
    ['a page that lacks a button', 'TimeoutError: waiting for locator("#buy")', {}],
  ] as const)('is not seen in %s', (_, result, call) => {
    expect(kindOf(result, null, call)).not.toBe('transient');
  });
});

describe('the record of a program that ran', () => {
  const record = (code: number, output: string, name = 'exit_code') =>
    JSON.stringify({ chunk_id: '7e1b5e', [name]: code, output });

  it.each([
    ['a higher code', record(255, 'no such revision')],
    ['a signal', record(-9, '', 'returncode')],
    ['what it printed', record(1, "FAILED: Can't locate revision", 'exitCode')],
    ['a code in text of JSON', JSON.stringify({ text: record(2, 'x') })],
  ])('tells of an error by %s', (_, result) => {
    expect(kindOf(result, null)).toBe('error');
  });

  it.each([
    ['success', record(0, 'none of them failed')],
    ['a search that found nothing', record(1, '')],
    ['a comparison', record(1, 'a.txt and b.txt differ')],
  ])('tells of none after %s', (_, result) => {
    expect(kindOf(result, null)).toBe('ok');
  });

  it('names no failure if it printed nothing', () => {
    expect(normalizeResult(record(2, ''), null, { name: 'call', said: '{}' }, agents).failure).toBeNull();
  });
});

describe('a call that was not run', () => {
  it.each([
    'Tool execution was cancelled by the user.',
    'Operation aborted by user.',
    'User chose not to run this command.',
    'The tool call was denied by the user.',
    'The user has declined to run this tool.',
    'ToolDenied: user did not approve',
    'Skipping tool execution because a previous tool call failed.',
    '{"status":"cancelled","reason":"user rejected the action"}',
  ])('is recognized by %j', (result) => {
    expect(kindOf(result, true)).toBe('not_run');
  });

  it.each([
    'Permission denied',
    'Cancelled order 12.',
    'Access denied by policy',
    'The operation was not permitted',
  ])('is not recognized by %j', (result) => {
    expect(kindOf(result, true)).toBe('error');
  });
});

it('the old envelope of Gemini CLI without an error is not an error', () => {
  expect(kindOf('Stdout: (empty)\nStderr: (empty)\nError: (none)\nExit Code: 0', null)).toBe('ok');
});

it.each([
  'CREATE_IN_PROGRESS',
  'provisioning',
  'Still deploying…',
  '{"done":false,"name":"op-1"}',
  '[image content omitted from the transcript]',
  'Screenshot taken.',
  'Screenshot taken at 1280 x 800',
])('%j means that something is in progress or not visible', (result) => {
  expect(normalizeResult(result, null, { name: 'call', said: '{}' }, agents).isUnderWay).toBe(true);
});

it.each([
  'nothing',
  'Missing',
  'warning',
  'All is ready.',
  '1 line read from file starting from line 1.',
  '{"done":true}',
  'release_status: required_release_missing',
  '{"state":"Wyoming","zip":"82414"}',
  '{"status":"outstanding","amount":120}',
  'worker 6 was not started',
  '0 pending migrations',
  '{"pending":0,"done":4}',
  'Status: standing',
  'Screenshot taken. Window: File not found',
])('%j does not mean that something is in progress or not visible', (result) => {
  expect(normalizeResult(result, null, { name: 'call', said: '{}' }, agents).isUnderWay).toBe(false);
});

describe('a success that says that there is no error', () => {
  it.each([
    '{"carrier":"DHL","error":"none"}',
    '{"error":"null","rows":1}',
    "{'error': 'N/A', 'rows': 1}",
    '{"error":"No error"}',
    '{"errors":[],"rows":1}',
    '{"error":"OK","rows":1}',
    'Order handled.\nError: none\nWarnings: 2',
    'Errors: 0, updated: 3',
    'Failed: 0\nSynced: 12 items',
  ])('is not an error: %j', (result) => {
    expect(kindOf(result, null)).toBe('ok');
  });

  it.each([
    '{"error":"none of the files exists"}',
    '{"error":"No such order"}',
    'Error: no',
    'Error: no such file',
    'Error: none of them matches',
    'Errors: 3, updated: 0',
    '{"error":"none","errors":[{"message":"no"}]}',
  ])('is none: %j', (result) => {
    expect(kindOf(result, null)).toBe('error');
  });
});

describe('a record that says that the call failed', () => {
  it.each([
    '{"message":"Exports are disabled","success":false}',
    '{"ok":false,"errors":["the bank code is unfit"]}',
    "{'ok': False, 'reason': 'Exports are disabled'}",
    '{"data":{},"msg":"Exports are disabled","success":"false"}',
    '{"data":null,"errors":[{"message":"Exports are disabled"}]}',
    '{"errors":[{"message":"Exports are disabled"}],"data":null}',
    '{"code":422,"data":null,"msg":"the format is missing"}',
    '{"status":404,"title":"Not Found","detail":"no such route"}',
    '<?xml version="1.0"?>\n<Error><Code>AccessDenied</Code></Error>',
    '<s:Envelope><s:Body><s:Fault><faultcode>s:Client</faultcode></s:Fault></s:Body></s:Envelope>',
    '<job><id>8</id><status>ERROR</status><text>relation orders already exists</text></job>',
    'ok: false\nchanged: false\nmsg: "the export is disabled"',
    'job: 90211\nstate: FAILED\nmessage: relation orders already exists',
    'JobId=90211\nResult=FAIL\nReason=the printer has no paper',
    '| job | state | message |\n|---|---|---|\n| 90211 | FAILED | relation orders already exists |',
    '+-------+--------+---------+\n| job   | state  | message |\n+-------+--------+---------+\n| 90211 | FAILED | no rows |\n+-------+--------+---------+',
    'job,state,message\n90211,FAILED,no rows',
    '<result status="error"><message>the account is locked</message></result>',
    'status: 403\nmessage: the account is locked',
    '{"status":"fehler","text":"Port 8080 ist belegt"}',
    'ID       STATE    REASON\n90211    Failed   relation orders already exists',
  ])('is an error: %j', (result) => {
    expect(kindOf(result, null, { name: 'start_export' })).toBe('error');
  });

  it.each([
    ['success', '{"message":"started","success":true}', {}],
    ['no reason', '{"success":false}', {}],
    ['a state', '{"message":"The feature is off","status":false}', {}],
    ['the state of a target', '{"message":"Seat 12A is already taken","success":false}', {}],
    ['what was looked up', '{"message":"There is no such patent","success":false}', { reads: true }],
    ['what was looked up in vain', '{"message":"User not found","status":404}', { reads: true }],
    ['what was checked', '{"message":"The mailbox is full","ok":false}', { name: 'check_mailbox' }],
    ['one of several', '{"message":"2 of 3","results":[{"ok":false}],"total":3}', {}],
    ['a code that is none', '{"code":431,"name":"Linz"}', {}],
    ['lines without a reason', 'id: 7\nstate: failed', {}],
    ['a count of failures', 'id: 7\nstatus: failed 2 of 90\nreason: none', {}],
    ['a number', 'result: 450\nmessage: done', {}],
    ['a list of states', '| job | state |\n|---|---|\n| 1 | done |\n| 2 | failed |', {}],
    ['a file with a state', 'state: failed\nreason: the disk is full', { reads: true }],
    ['the state of a target in lines', 'ok: false\nreason: the seat is taken', {}],
  ])('is none: %s', (_, result, call) => {
    expect(kindOf(result, null, { name: 'start_export', ...call })).toBe('ok');
  });

  it('is one although the tool reads, if it was not allowed to', () => {
    expect(kindOf('{"code":403,"msg":"forbidden"}', null, { reads: true })).toBe('error');
  });

  it('is an outage if the service failed', () => {
    expect(kindOf('{"code":503,"message":"try again"}', null)).toBe('transient');
    expect(kindOf('{"body":"Service Unavailable","status":503}', null, { reads: true })).toBe('transient');
  });
});

describe('an error without a flag', () => {
  it.each([
    'Rendering failed: no space left on device',
    'Copy failed: No route to host 10.3.0.9',
    'An error occurred (ExpiredToken) when calling the ListRoles operation: The token is too old',
    "(AuthorizationFailed) The client 'x' must not perform the action 'read'",
    'ORA-28000: The account is locked.',
    'SQLSTATE[28000]: the account is locked',
    'Msg 208, Level 16, State 1',
    'panic: open config.toml: the account is locked',
    'Request failed with status code 409',
    'Bad Request: chat not found',
    'You are not authorized to change this record.',
    'You don’t have permission to change this record.',
    'Oops! Something went wrong: the account is locked.',
    'E: Unable to locate package shop-tools',
    'Blocked: direct pushes to main are disabled.',
    'run 311: stage prepare failed, params.yaml has no key seed',
    'svc: worker 8032 died: missing lib',
    '✗ The deployment failed.',
    'time="2026-11-28T10:00:01Z" level=fatal msg="the cluster is not reachable"',
    'Authentication failed for the registry',
    'Insufficient privileges for this operation',
    'Run 90211 did not succeed.',
    './run.sh: line 3: 67529 Killed                  python train.py',
    '/bin/sh: line 1: 14617 Segmentation fault (core dumped) ./server',
    'epoch 1\nepoch 2\nKilled',
    'src/a.ts\n  4:7  error  x is never used\n\n✖ 1 problem (1 error, 0 warnings)',
    'F401 `os` imported but unused\nFound 1 error.',
    '{"exit_code": 1, "stdout": "", "stderr": "a.sh: the disk is full", "session": 7}',
  ])('is recognized in %j', (result) => {
    expect(kindOf(result, null)).toBe('error');
    expect(kindOf(result, false)).toBe('ok');
  });

  it.each([
    ['a count', 'The last 0 failed, 12 passed', {}],
    ['nothing blocked', 'Blocked: none', {}],
    ['no failure', '12 tests passed, none failed', {}],
    ['a condition', 'Tell me if the build failed, then I look', {}],
    ['a log', 'worker 8032 died: missing lib', { runs: true, looks: true }],
    ['a file', 'worker 8032 died: missing lib', { reads: true }],
    [
      'text from the call’s own arguments',
      '[main 3f2a] Fix the worker that died: missing lib',
      {
        runs: true,
        said: '{"command":"git commit -m \\"[main 3f2a] Fix the worker that died: missing lib\\""}',
      },
    ],
  ] as const)('is none: %s', (_, result, call) => {
    expect(kindOf(result, null, call)).toBe('ok');
  });
});

describe('a refusal in another language', () => {
  it.each([
    'Falha ao iniciar a exportação: sua conta não tem permissão.',
    'Não foi possível iniciar a exportação.',
    'Acesso negado.',
    'No se pudo iniciar la exportación.',
    'Acceso denegado a la exportación.',
    'Échec de l’export : droits insuffisants.',
    'Impossible d’exporter.',
    'Accès refusé.',
    'Impossibile avviare l’esportazione.',
    'Der Export konnte nicht gestartet werden.',
    'Zugriff verweigert.',
    'No se ha podido crear la factura.',
    'Не удалось начать экспорт.',
    'エクスポートを開始できませんでした。',
    'エクスポートに失敗しました。',
    '无法导出。',
    '导出失败，您的账户没有权限。',
  ])('is an error: %j', (result) => {
    expect(kindOf(result, null)).toBe('error');
    expect(kindOf(result, null, { reads: true })).toBe('ok');
  });
});

it.each([
  'Element index 14 not available - page may have changed.',
  'Element is not clickable at this point.',
  'The element with index 3 does not exist.',
  'Ref e12 is no longer on the page.',
])('%j is an error of an interface', (result) => {
  expect(kindOf(result, null)).toBe('error');
});
