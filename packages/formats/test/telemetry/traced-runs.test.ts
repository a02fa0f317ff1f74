import { describe, expect, it } from 'vitest';
import { outline, readAll } from '../read-all.ts';

const langfuse = (id: string, type: string, second: number, more: object = {}) => ({
  id,
  trace_id: 't',
  session_id: 's',
  type,
  start_time: `2026-11-01 10:00:0${String(second)}.000000`,
  ...more,
});
const langsmith = (id: string, runType: string, second: number, more: object = {}) => ({
  id,
  trace_id: 't',
  run_type: runType,
  start_time: `2026-11-01T10:00:0${String(second)}`,
  inputs: {},
  ...more,
});

describe('Langfuse observations', () => {
  it('are read from a page of the API', () => {
    const tool = {
      id: 'c',
      traceId: 't',
      type: 'TOOL',
      startTime: '2026-11-01T10:00:00Z',
      name: 'ls',
      input: {},
    };
    const { events } = readAll('auto', [{ data: [{ ...tool, output: 'a' }], meta: { cursor: 'x' } }]);
    expect(outline(events)).toEqual(['tool_call_request ls', 'tool_result a']);
  });

  it('are read in order of time, whatever their order in the export', () => {
    const usage = JSON.stringify({ input: 3, input_cached_tokens: 7, output: 2 });
    const { events, ignored } = readAll('langfuse', [
      langfuse('c', 'TOOL', 3, { name: 'ls', input: '{"p":2}', output: 'b', level: 'ERROR' }),
      langfuse('a', 'GENERATION', 1, {
        model: 'gpt-5',
        output: '{"role":"assistant","content":"I look."}',
        usage_details: usage,
        cost_details: { total: 0.5 },
      }),
      langfuse('b', 'TOOL', 2, { name: 'ls', input: '{"p":1}', output: 'a' }),
      langfuse('d', 'SPAN', 0),
    ]);
    expect(outline(events)).toEqual([
      'turn_started',
      'content I look.',
      'turn_finished',
      'tool_call_request ls',
      'tool_result a',
      'tool_call_request ls',
      'tool_result b',
    ]);
    expect(events[2]).toMatchObject({
      sessionId: 's',
      model: 'gpt-5',
      costUsd: 0.5,
      usage: { inputTokens: 10, cachedInputTokens: 7, outputTokens: 2 },
    });
    expect(events[3]).toMatchObject({ callId: 'b', args: { p: 1 } });
    expect(events[6]).toMatchObject({ isError: true });
    expect(ignored).toEqual(['SPAN']);
  });

  it('are read as conversations if there are no tool observations', () => {
    const call = { role: 'assistant', tool_calls: [{ id: 'c1', function: { name: 'ls', arguments: '{}' } }] };
    const history = [
      { role: 'user', content: 'look' },
      call,
      { role: 'tool', tool_call_id: 'c1', content: 'a' },
    ];
    const { events } = readAll('langfuse', [
      langfuse('b', 'GENERATION', 2, { input: history, output: { role: 'assistant', content: 'Done.' } }),
      langfuse('a', 'GENERATION', 1, { input: history.slice(0, 1), output: call }),
    ]);
    expect(outline(events)).toEqual([
      'prompt_started look',
      'turn_started',
      'tool_call_request ls',
      'turn_finished',
      'tool_result a',
      'turn_started',
      'content Done.',
      'turn_finished',
    ]);
  });
});

describe('LangSmith runs', () => {
  it('belong to the session of their thread and include tool inputs and outputs', () => {
    const { events, ignored } = readAll('langsmith', [
      langsmith('c', 'tool', 2, {
        name: 'ls',
        inputs: { input: '{"p":1}' },
        outputs: { output: { content: 'a' } },
      }),
      langsmith('b', 'llm', 1, {
        extra: { metadata: { thread_id: 'th' } },
        outputs: { messages: [{ role: 'assistant', content: 'I look.' }] },
        prompt_tokens: 5,
        completion_tokens: 2,
        total_cost: 0.01,
      }),
      langsmith('d', 'tool', 3, { name: 'ls', inputs: { p: 2 }, error: 'no' }),
      langsmith('a', 'chain', 0),
    ]);
    expect(outline(events)).toEqual([
      'turn_started',
      'content I look.',
      'turn_finished',
      'tool_call_request ls',
      'tool_result a',
      'tool_call_request ls',
      'tool_result no',
    ]);
    expect(events.map(({ sessionId }) => sessionId)).toEqual(['th', 'th', 'th', 't', 't', 't', 't']);
    expect(events[2]).toMatchObject({ usage: { inputTokens: 5, outputTokens: 2 }, costUsd: 0.01 });
    expect(events[3]).toMatchObject({ args: { p: 1 } });
    expect(events[6]).toMatchObject({ isError: true });
    expect(ignored).toEqual(['chain']);
  });
});
