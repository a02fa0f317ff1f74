import { describe, expect, it } from 'vitest';
import { GeminiAnswer, readGeminiAnswer } from '../../src/wire/index.ts';
import { outline, readAll } from '../read-all.ts';

const record = (parts: readonly object[], more: object = {}) => ({
  responseId: 'r1',
  modelVersion: 'gemini-3-pro',
  candidates: [{ index: 0, content: { role: 'model', parts }, ...more }],
});
const list = (path: string) => ({ functionCall: { name: 'ls', args: { path } } });

describe('Gemini', () => {
  it('Gemini: assembles a streamed response', () => {
    const { events, faults } = readAll('auto', [
      record([{ text: 'Hm', thought: true }]),
      record([{ text: 'I look.' }, list('a')]),
      record([list('b')]),
      {
        ...record([{ text: '' }], { finishReason: 'STOP' }),
        usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 4, totalTokenCount: 9 },
      },
      { ...record([{ text: 'Done.' }], { finishReason: 'STOP' }), responseId: 'r2' },
    ]);
    expect(faults).toEqual([]);
    expect(outline(events)).toEqual([
      'turn_started',
      'thought Hm',
      'content I look.',
      'tool_call_request ls',
      'tool_call_request ls',
      'turn_finished',
      'turn_started',
      'content Done.',
      'turn_finished',
    ]);
    expect(events[3]).toMatchObject({ args: { path: 'a' }, model: 'gemini-3-pro' });
    expect(events[5]).toMatchObject({ usage: { inputTokens: 3, outputTokens: 6 } });
  });

  it('Gemini: reads names in the case of its Python SDK', () => {
    const parts = [{ function_call: { name: 'ls', args: {} } }];
    const { events } = readAll('auto', [
      { response_id: 'r', candidates: [{ content: { role: 'model', parts }, finish_reason: 'STOP' }] },
    ]);
    expect(outline(events)).toEqual(['turn_started', 'tool_call_request ls', 'turn_finished']);
  });

  it('Gemini: a call whose arguments are streamed is named, not judged', () => {
    const parts = [{ functionCall: { name: 'ls', willContinue: true } }, { functionCall: {} }, list('a')];
    const answer = new GeminiAnswer({});
    answer.read(record(parts, { finishReason: 'STOP' }));
    for (const { calls, unknownCalls } of [answer, readGeminiAnswer(record(parts))!]) {
      expect(calls).toEqual([{ id: null, name: 'ls', args: { path: 'a' } }]);
      expect(unknownCalls).toEqual(Array(2).fill('functionCall (streamed arguments)'));
    }
  });

  it('Gemini: a rejected prompt is an answer without candidates', () => {
    const rejected = { promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: { promptTokenCount: 3 } };
    expect(readGeminiAnswer(rejected)).toMatchObject({ text: '', calls: [], usage: { inputTokens: 3 } });
    expect(new GeminiAnswer({}).read(rejected)).toEqual({ isEnd: true });
    expect(readGeminiAnswer({ error: { code: 400 } })).toBeUndefined();
  });
});
