import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sharedPglite } from '../../../storage/test/shared-pglite.ts';
import type { LoopwatchServer } from '../../src/index.ts';
import type { MemoryLog } from '../memory-log.ts';
import { startServer, topics } from '../running-server.ts';
import { START } from '../verdicts.ts';

const emptyDatabase = sharedPglite();
let url: string;
let log: MemoryLog;
let server: LoopwatchServer;

beforeEach(async () => {
  ({ url, log, server } = await startServer({ openDatabase: emptyDatabase, now: () => START }));
});

afterEach(() => server.stop());

const attributesOf = (values: Record<string, string>) =>
  Object.entries(values).map(([key, stringValue]) => ({ key, value: { stringValue } }));
const send = (path: string, type: string, body: string) =>
  fetch(`${url}${path}`, { method: 'POST', headers: { 'content-type': type }, body });

describe('OTLP/HTTP', () => {
  it('accepts spans in JSON as events of their session', async () => {
    const attributes = attributesOf({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.conversation.id': 'c-1',
      'gen_ai.tool.name': 'read_file',
      'gen_ai.tool.call.id': 'call-1',
      'gen_ai.tool.call.arguments': '{"path":"a"}',
      'gen_ai.tool.call.result': 'an empty file',
    });
    const times = { startTimeUnixNano: '1760000000000000000', endTimeUnixNano: '1760000001000000000' };
    const span = { traceId: 'a', spanId: 'b', name: 'execute_tool read_file', ...times, attributes };
    const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }, null, 2);
    const answer = await send('/v1/traces', 'application/json', body);
    expect([answer.status, await answer.json()]).toEqual([200, {}]);
    expect(log.values(topics.events)).toMatchObject([
      { type: 'tool_call_request', sessionId: 'c-1', callId: 'call-1', name: 'read_file' },
      { type: 'tool_result', sessionId: 'c-1', callId: 'call-1', result: 'an empty file' },
    ]);
  });

  it('accepts the logs of coding agents', async () => {
    const attributes = attributesOf({
      'event.name': 'tool_result',
      'session.id': 's-1',
      tool_name: 'Bash',
      success: 'false',
      tool_parameters: '{"full_command":"npm test"}',
    });
    const body = { stringValue: 'claude_code.tool_result' };
    const logRecords = [{ timeUnixNano: '1760000000000000000', body, attributes }];
    const request = JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] });
    expect((await send('/v1/logs', 'application/json', request)).status).toBe(200);
    expect(log.values(topics.events)).toMatchObject([{ type: 'tool_call_request', name: 'Bash' }]);
  });

  it('accepts requests without agent data', async () => {
    const spans = [{ traceId: 'a', spanId: 'b', name: 'GET /', attributes: [] }];
    const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
    const answer = await send('/v1/traces', 'application/json', body);
    expect([answer.status, await answer.json()]).toEqual([200, {}]);
    expect(log.values(topics.events)).toEqual([]);
  });

  it.each([
    ['/v1/traces', 'application/x-protobuf', '', ''],
    ['/v1/logs', 'application/x-protobuf', '', ''],
    ['/v1/traces', 'application/json', '{}', '{}'],
    ['/v1/logs', 'application/json', ' {\n} ', '{}'],
    ['/v1/traces', 'application/json', '{"resourceSpans":[]}', '{}'],
    ['/v1/logs', 'application/json', '{"resourceLogs":[{}]}', '{}'],
  ])('accepts an empty export to %s as %s: %j', async (path, type, body, expected) => {
    const answer = await send(path, type, body);
    expect([answer.status, await answer.text()]).toEqual([200, expected]);
    expect(log.values(topics.events)).toEqual([]);
  });

  it.each([
    ['/v1/traces', 'application/x-protobuf', '\u0007no protobuf', 400],
    ['/v1/logs', 'application/json', 'no json', 400],
    ['/v1/logs', 'application/json', '', 400],
    ['/v1/traces', 'application/json', '{"spans":[]}', 400],
    ['/v1/traces', 'text/plain', '{}', 415],
  ])('rejects an invalid request to %s as %s', async (path, type, body, status) => {
    const answer = await send(path, type, body);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
  });

  it('says how an SDK stops sending metrics', async () => {
    const answer = await send('/v1/metrics', 'application/x-protobuf', '');
    expect(answer.status).toBe(404);
    expect(await answer.text()).toContain('OTEL_METRICS_EXPORTER=none');
  });
});
