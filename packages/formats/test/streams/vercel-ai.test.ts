import { describe, expect, it } from 'vitest';
import { outline, readAll } from '../read-all.ts';

describe('AI SDK', () => {
  it('reads UI message streams: one call, its final output', () => {
    const call = { toolCallId: 'c', toolName: 'ls' };
    const { events, ignored } = readAll('vercel-ai', [
      { type: 'start-step' },
      { type: 'text-delta', id: '0', delta: 'I look.' },
      { type: 'tool-input-start', ...call },
      { type: 'tool-input-available', ...call, input: { p: 1 } },
      { type: 'tool-output-available', toolCallId: 'c', output: 'half', preliminary: true },
      { type: 'tool-output-available', toolCallId: 'c', output: 'whole' },
      { type: 'finish-step' },
      { type: 'reset-step' },
    ]);
    expect(outline(events)).toEqual([
      'turn_started',
      'content I look.',
      'tool_call_request ls',
      'tool_result whole',
      'turn_finished',
      'retry',
    ]);
    expect(ignored).toEqual(['tool-input-start', 'tool-output-available (preliminary)']);
  });

  it('reads the parts of fullStream with usage and errors', () => {
    const { events } = readAll('vercel-ai', [
      { type: 'text-delta', id: '0', text: 'Hi' },
      { type: 'tool-call', toolCallId: 'c', toolName: 'ls', input: {} },
      { type: 'tool-error', toolCallId: 'c', toolName: 'ls', error: 'no' },
      { type: 'finish-step', usage: { inputTokens: 3, outputTokens: 1 } },
    ]);
    expect(outline(events)).toEqual([
      'content Hi',
      'tool_call_request ls',
      'tool_result no',
      'turn_finished',
    ]);
    expect(events.slice(2)).toMatchObject([{ isError: true }, { usage: { inputTokens: 3 } }]);
  });

  it('reads usage whose details are objects, as from version 6 on', () => {
    const { events } = readAll('vercel-ai', [
      {
        type: 'finish-step',
        usage: {
          inputTokens: 120,
          inputTokenDetails: { noCacheTokens: 15, cacheReadTokens: 100, cacheWriteTokens: 5 },
          outputTokens: 15,
          outputTokenDetails: { textTokens: 5, reasoningTokens: 10 },
        },
      },
    ]);
    expect(events[0]).toMatchObject({
      usage: { inputTokens: 120, cachedInputTokens: 100, cacheWriteTokens: 5, reasoningTokens: 10 },
    });
  });

  it('says that a call was denied', () => {
    const { events } = readAll('vercel-ai', [
      { type: 'tool-input-available', toolCallId: 'c', toolName: 'rm', input: {} },
      { type: 'tool-output-denied', toolCallId: 'c' },
    ]);
    expect(events[1]).toMatchObject({ type: 'tool_result', callId: 'c', denied: true });
  });
});
