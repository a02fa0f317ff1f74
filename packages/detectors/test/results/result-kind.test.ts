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
  '{"done":true}',
  'Screenshot taken. Window: File not found',
])('%j does not mean that something is in progress or not visible', (result) => {
  expect(normalizeResult(result, null, { name: 'call', said: '{}' }, agents).isUnderWay).toBe(false);
});
