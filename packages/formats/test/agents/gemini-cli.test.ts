import { describe, expect, it } from 'vitest';
import { outline, readAll } from '../read-all.ts';

const at = { timestamp: '2026-03-20T15:14:46.455Z' };

describe('Gemini CLI', () => {
  it('reads stream-json events, the first of which contains the session id', () => {
    const { events } = readAll('gemini-cli', [
      { type: 'init', ...at, session_id: 'g', model: 'gemini-3' },
      { type: 'message', ...at, role: 'user', content: 'list' },
      { type: 'message', ...at, role: 'assistant', content: 'I list.', delta: true },
      { type: 'tool_use', ...at, tool_name: 'ls', tool_id: 'c', parameters: { path: '.' } },
      { type: 'tool_result', ...at, tool_id: 'c', status: 'error', output: 'no' },
      { type: 'result', ...at, status: 'success', stats: { input_tokens: 7, output_tokens: 2, cached: 3 } },
    ]);
    expect(outline(events)).toEqual([
      'prompt_started list',
      'turn_started',
      'content I list.',
      'tool_call_request ls',
      'tool_result no',
      'turn_finished',
    ]);
    expect(events.every(({ sessionId, model }) => sessionId === 'g' && model === 'gemini-3')).toBe(true);
    expect(events[4]).toMatchObject({ callId: 'c', isError: true });
    expect(events[5]).toMatchObject({ usage: { inputTokens: 7, outputTokens: 2, cachedInputTokens: 3 } });
  });

  it.each([
    ['fails although its status is success', 'Output: Permission denied\nExit Code: 255', true],
    ['succeeds', 'Output: done\nExit Code: 0', false],
    ['is no command', 'The page lists an exit code.', false],
  ])('tells a failed command by its exit code: %s', (_, output, isError) => {
    const callId = 'c';
    const call = { name: 'run_shell_command', id: callId, args: {}, status: 'success', ...at };
    const result = [{ functionResponse: { id: callId, name: call.name, response: { output } } }];
    const messages = [{ id: 'm', ...at, type: 'gemini', content: 'Hi', toolCalls: [{ ...call, result }] }];
    const records = [
      [
        { type: 'init', ...at, session_id: 'g', model: 'gemini-3' },
        { type: 'tool_use', ...at, tool_name: call.name, tool_id: callId, parameters: {} },
        { type: 'tool_result', ...at, tool_id: callId, status: 'success', output },
      ],
      [{ sessionId: 'g', projectHash: 'p', startTime: at.timestamp, messages }],
    ];
    const results = records.map((each) =>
      readAll('gemini-cli', each).events.filter(({ type }) => type === 'tool_result'),
    );
    expect(results).toMatchObject([[{ callId, isError }], [{ callId, isError }]]);
  });

  it('reads a chat file in one document, and a repeated message once', () => {
    const call = {
      id: 'c',
      name: 'ls',
      args: { path: '.' },
      status: 'success',
      timestamp: '2026-03-20T15:14:48Z',
      result: [{ functionResponse: { id: 'c', name: 'ls', response: { output: 'a' } } }],
    };
    const message = {
      id: 'm',
      ...at,
      type: 'gemini',
      content: 'Hi',
      model: 'gemini-3',
      thoughts: [{ subject: 'S', description: 'D' }],
      tokens: { input: 10, output: 1, cached: 2, thoughts: 4 },
      toolCalls: [call],
    };
    const chat = (...messages: object[]) => ({
      sessionId: 'g',
      projectHash: 'p',
      startTime: at.timestamp,
      messages,
    });
    const { events } = readAll('gemini-cli', [
      chat({ id: 'u', ...at, type: 'user', content: 'list' }, message, {
        id: 'i',
        ...at,
        type: 'info',
        content: 'x',
      }),
    ]);
    expect(outline(events)).toEqual([
      'prompt_started list',
      'turn_started',
      'thought S\nD',
      'content Hi',
      'tool_call_request ls',
      'tool_result a',
      'turn_finished',
    ]);
    expect(events[6]).toMatchObject({
      time: Date.parse('2026-03-20T15:14:48Z'),
      usage: { inputTokens: 10, outputTokens: 5, cachedInputTokens: 2, reasoningTokens: 4 },
    });
    const twice = readAll('gemini-cli', [
      chat({ ...message, toolCalls: [{ ...call, result: undefined }] }),
      chat(message),
    ]);
    expect(new Set(twice.events.map(({ id }) => id)).size).toBe(6);
  });

  it('reads a chat file with one message per line', () => {
    const { events, ignored } = readAll('gemini-cli', [
      { sessionId: 'g', projectHash: 'p', startTime: at.timestamp },
      { id: 'u', ...at, type: 'user', content: [{ text: 'list' }] },
      { $set: { lastUpdated: at.timestamp } },
    ]);
    expect(outline(events)).toEqual(['prompt_started list']);
    expect(events[0]).toMatchObject({ sessionId: 'g' });
    expect(ignored).toEqual(['session', 'update']);
  });

  it('reads the lines of a chat once each: neither copies of earlier ones nor a rewind change what happened', () => {
    const header = { sessionId: 'g', projectHash: 'p', startTime: at.timestamp, kind: 'main' };
    const touched = { $set: { lastUpdated: at.timestamp } };
    const response = { functionResponse: { id: 'c', name: 'ls', response: { output: 'a' } } };
    const call = { id: 'c', name: 'ls', args: { dir_path: '.' }, status: 'success', ...at };
    const calls = { toolCalls: [{ ...call, result: [response] }] };
    const tokens = { input: 10, output: 5, cached: 0, thoughts: 0, tool: 0, total: 15 };
    const context = { id: 's', ...at, type: 'user', content: [{ text: '<session_context>\nToday' }] };
    const asked = { id: 'u', ...at, type: 'user', content: [{ text: 'list' }] };
    const said = {
      id: 'm',
      ...at,
      type: 'gemini',
      content: 'I list.',
      thoughts: [],
      tokens,
      model: 'gemini-3',
    };
    const thought = { text: 'Binary content received. Proceeding with analysis.', thought: true };
    const { events } = readAll('gemini-cli', [
      header,
      { $set: { messages: [context], lastUpdated: at.timestamp } },
      asked,
      touched,
      said,
      touched,
      { ...said, ...calls },
      { id: 'r', ...at, type: 'user', content: [response] },
      touched,
      { id: 'b', ...at, type: 'gemini', content: [thought] },
      { $set: { sessionId: 'g' } },
      // Resumed.
      {
        $set: {
          messages: [
            context,
            asked,
            { ...said, ...calls, content: [{ text: 'I list.' }, { functionCall: call }] },
          ],
        },
      },
      { $rewindTo: 'u' },
      { ...asked, id: 'u2', content: [{ text: 'list again' }] },
      { ...said, id: 'm2', content: 'Done.' },
    ]);
    expect(outline(events)).toEqual([
      'prompt_started list',
      'turn_started',
      'content I list.',
      'tool_call_request ls',
      'tool_result a',
      'turn_finished',
      'prompt_started list again',
      'turn_started',
      'content Done.',
      'turn_finished',
    ]);
    expect(events[5]).toMatchObject({ sessionId: 'g', usage: { inputTokens: 10, outputTokens: 5 } });
  });
});
