import { expect, it } from 'vitest';
import { outline, readAll } from '../read-all.ts';

const attributes = (type: string, more: Readonly<Record<string, unknown>>) => ({
  'mlflow.traceRequestId': '"tr-1"',
  'mlflow.spanType': JSON.stringify(type),
  ...Object.fromEntries(Object.entries(more).map(([key, value]) => [`mlflow.${key}`, JSON.stringify(value)])),
});
const span = (id: number, name: string, status: object, attributesOf: object) => ({
  trace_id: 'QlAktwLOs0JAWjhcyCTyEw==',
  span_id: `s${String(id)}`,
  parent_span_id: id === 0 ? null : 's0',
  name,
  start_time_unix_nano: 1_795_751_367_814_067_500 + id * 1e9,
  end_time_unix_nano: 1_795_751_367_914_067_500 + id * 1e9,
  events: [],
  status,
  attributes: attributesOf,
  links: [],
});
const ok = { code: 'STATUS_CODE_OK', message: '' };
const call = { id: 'c1', type: 'function', function: { name: 'read_file', arguments: '{"path": "a"}' } };

/** What mlflow-skinny 3.17.2 wrote of an agent whose second call failed. */
const trace = {
  info: { trace_id: 'tr-1', state: 'OK', trace_metadata: { 'mlflow.user': 'root' } },
  data: {
    spans: [
      span(0, 'agent', ok, attributes('AGENT', { spanInputs: {}, spanOutputs: null })),
      span(
        1,
        'llm',
        ok,
        attributes('CHAT_MODEL', {
          spanInputs: { messages: [{ role: 'user', content: 'look' }] },
          spanOutputs: { choices: [{ message: { role: 'assistant', content: null, tool_calls: [call] } }] },
          'chat.tokenUsage': { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
        }),
      ),
      span(2, 'read_file', ok, attributes('TOOL', { spanInputs: { path: 'a' }, spanOutputs: 'text of a' })),
      span(
        3,
        'read_file',
        { code: 'STATUS_CODE_ERROR', message: 'ValueError: no such file' },
        attributes('TOOL', { spanInputs: { path: 'bad' } }),
      ),
    ],
  },
};

it('mlflow: reads exactly the calls of a trace, their errors and the usage', () => {
  const { events, ignored, faults } = readAll('auto', [trace]);
  expect(faults).toEqual([]);
  expect(outline(events.filter(({ type }) => type.startsWith('tool')))).toEqual([
    'tool_call_request read_file',
    'tool_result text of a',
    'tool_call_request read_file',
    'tool_result ValueError: no such file',
  ]);
  expect(new Set(events.map(({ sessionId }) => sessionId))).toEqual(new Set(['tr-1']));
  expect(events.at(-1)).toMatchObject({ isError: true });
  expect(events.find(({ type }) => type === 'turn_finished')).toMatchObject({
    usage: { inputTokens: 10, outputTokens: 5 },
  });
  expect(ignored).toEqual(['AGENT']);
});

it('mlflow: the session of a trace is its own, if it has one', () => {
  const info = { ...trace.info, trace_metadata: { 'mlflow.trace.session': 'chat-7' } };
  const { events } = readAll('auto', [{ ...trace, info }]);
  expect(new Set(events.map(({ sessionId }) => sessionId))).toEqual(new Set(['chat-7']));
});
