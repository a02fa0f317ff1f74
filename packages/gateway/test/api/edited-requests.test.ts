import { describe, expect, it } from 'vitest';
import { chatApi } from '../../src/api/chat.ts';
import type { Guidance, Json } from '../../src/api/conversation.ts';
import { geminiApi } from '../../src/api/gemini.ts';
import { messagesApi } from '../../src/api/messages.ts';
import { responsesApi } from '../../src/api/responses.ts';

const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } };
const picture = { type: 'input_image', image_url: 'data:image/png;base64,aGk=' };
const url = { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } };

/** Each API, a request that ends with a result of two parts, and what is in the result. */
const apis = [
  {
    api: chatApi,
    body: {
      messages: [{ role: 'tool', tool_call_id: 'c', content: [{ type: 'text', text: 'Seen.' }, url] }],
    },
    resultIn: ({ messages }: Json) => (messages as Json[])[0]?.['content'],
    shown: url,
  },
  {
    api: messagesApi,
    body: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'c', content: [{ type: 'text', text: 'Seen.' }, image] },
          ],
        },
      ],
    },
    resultIn: ({ messages }: Json) => ((messages as Json[])[0]?.['content'] as Json[])[0]?.['content'],
    shown: image,
  },
  {
    api: responsesApi,
    body: {
      input: [
        {
          type: 'function_call_output',
          call_id: 'c',
          output: [{ type: 'input_text', text: 'Seen.' }, picture],
        },
      ],
    },
    resultIn: ({ input }: Json) => (input as Json[])[0]?.['output'],
    shown: picture,
  },
];

describe.each(apis)('a result with an image ($api.kind)', ({ api, body, resultIn, shown }) => {
  it('keeps it beside a note', () => {
    const result = resultIn(api.withNote(body, 'Enough.', 'tool'));
    expect(result).toContainEqual(shown);
    expect(JSON.stringify(result)).toMatch(/Seen\..*Enough\./);
  });

  it('keeps it beside the limit', () => {
    const result = resultIn(api.withLimit(body, 'Enough.'));
    expect(result).toContainEqual(shown);
    expect(JSON.stringify(result)).toMatch(/Seen\..*limit_reached/);
  });
});

const guidance: Guidance = { text: 'Think.', as: 'tool', call: 0, sentCalls: 0 };

describe('what the model is told after a chance', () => {
  it.each([
    { api: messagesApi, body: { messages: [] }, key: 'messages', model: 'assistant' },
    { api: responsesApi, body: { input: [] }, key: 'input', model: 'assistant' },
    {
      api: geminiApi({ model: 'm', stream: false, isArray: false }),
      body: { contents: [] },
      key: 'contents',
      model: 'model',
    },
  ])(
    'ends with the user, if the guidance is in the role of the model ($api.kind)',
    ({ api, body, key, model }) => {
      const roles = (told: Json) => (told[key] as Json[]).map(({ role }) => role);
      expect(roles(api.withGuidance(body, {}, { ...guidance, as: 'assistant' }))).toEqual([model, 'user']);
      expect(roles(api.withNote(body, 'Think.', 'assistant'))).toEqual([model, 'user']);
    },
  );

  it('has no blank text, which Anthropic refuses', () => {
    const use = { type: 'tool_use', id: 'c', name: 'read', input: {} };
    const thinking = { type: 'thinking', thinking: '', signature: 's' };
    const blanks = ['', '\n\n'].map((text) => ({ type: 'text', text }));
    const reply = { content: [thinking, ...blanks, { type: 'text', text: 'I read.' }, use] };
    const [sent] = messagesApi.withGuidance({ messages: [] }, reply, guidance)['messages'] as Json[];
    expect(sent?.['content']).toEqual([thinking, { type: 'text', text: 'I read.' }, use]);
  });

  it.each([
    { store: true, kept: ['rs_1', 'rs_2', 'fc_1'] },
    { store: undefined, kept: ['rs_1', 'rs_2', 'fc_1'] },
    { store: false, kept: ['rs_2', 'fc_1'] },
  ])('names no reasoning that OpenAI has not kept (store: $store)', ({ store, kept }) => {
    const output = [
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: null },
      { type: 'reasoning', id: 'rs_2', summary: [], encrypted_content: 'gAAA' },
      { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'read', arguments: '{}' },
    ];
    const told = responsesApi.withGuidance({ store, input: [] }, { output }, guidance)['input'] as Json[];
    expect(told.flatMap(({ id }) => id ?? [])).toEqual(kept);
  });
});
