import { describe, expect, it } from 'vitest';
import { outline, readAll } from '../read-all.ts';
import { sampleRecords } from '../sample-records.ts';

const [record] = sampleRecords['litellm']!;

describe('LiteLLM', () => {
  it('reads history, response, usage and cost from one record', () => {
    const { events } = readAll('litellm', [record]);
    expect(outline(events)).toEqual([
      'prompt_started …',
      'turn_started',
      'tool_call_request search',
      'turn_finished',
    ]);
    expect(events[3]).toMatchObject({
      sessionId: 'run-7',
      model: 'gpt-5.6-luna',
      costUsd: 0.0123,
      usage: { inputTokens: 1200, outputTokens: 34 },
    });
  });

  it('reports a request that was flushed twice once', () => {
    expect(readAll('litellm', [record, record]).events).toHaveLength(4);
  });

  it('counts the tokens of a response also if a later request came first, with the response in its history', () => {
    const { message } = (record as { response: { choices: { message: object }[] } }).response.choices[0]!;
    const messages = (record as { messages: object[] }).messages;
    const later = {
      ...record,
      id: 'later',
      messages: [
        ...messages,
        { role: 'assistant', ...message },
        { role: 'tool', tool_call_id: 'x', content: 'y' },
      ],
      response: { choices: [{ message: { role: 'assistant', content: 'Done.' } }] },
    };
    const { events } = readAll('litellm', [later, record, record]);
    const usages = events.filter((event) => event.type === 'turn_finished' && event['usage'] !== undefined);
    expect(usages).toMatchObject(Array(2).fill({ usage: { inputTokens: 1200, outputTokens: 34 } }));
    expect(new Set(usages.map(({ id }) => id)).size).toBe(2);
    expect(events.filter(({ type }) => type === 'tool_call_request')).toHaveLength(1);
  });

  it('prefers the session to the trace, and reads a failure', () => {
    const failed = { ...record, litellm_session_id: 's', status: 'failure', response: null };
    const { events } = readAll('litellm', [failed]);
    expect(events.map(({ type, sessionId }) => [type, sessionId])).toEqual([['prompt_started', 's']]);
  });

  it('reads the rows of its table, whose columns are JSON as text', () => {
    const { messages, response, ...row } = record!;
    const { events } = readAll('litellm', [
      {
        ...row,
        messages: '{}',
        response: JSON.stringify(response),
        proxy_server_request: JSON.stringify({ model: 'm', messages }),
      },
    ]);
    expect(outline(events)).toEqual(outline(readAll('litellm', [record]).events));
    expect(events[3]).toMatchObject({ usage: { inputTokens: 1200, outputTokens: 34 } });
  });

  it('counts the turns, tokens and cost of requests whose content is not logged', () => {
    const hidden = 'redacted-by-litellm';
    const bare = (id: string) => ({
      ...record,
      id,
      messages: [{ role: 'user', content: hidden }],
      response: { text: hidden },
    });
    const { events } = readAll('litellm', [bare('a'), bare('b'), bare('b')]);
    expect(events.map(({ type }) => type)).toEqual([
      ...['turn_started', 'turn_finished'],
      ...['turn_started', 'turn_finished'],
    ]);
    expect(events[1]).toMatchObject({ usage: { inputTokens: 1200, outputTokens: 34 } });
  });

  it('reads the details of the usage of any API', () => {
    const response = {
      object: 'response',
      output: [{ type: 'message', content: [{ type: 'output_text', text: 'Hi' }] }],
      usage: {
        input_tokens: 1200,
        output_tokens: 34,
        input_tokens_details: { cached_tokens: 1000 },
        output_tokens_details: { reasoning_tokens: 30 },
      },
    };
    const { events } = readAll('litellm', [{ ...record, response }]);
    expect(events.at(-1)).toMatchObject({
      usage: { inputTokens: 1200, outputTokens: 34, cachedInputTokens: 1000, reasoningTokens: 30 },
    });
  });
});
