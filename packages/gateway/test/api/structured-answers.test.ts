import { modelReply } from '@loopwatch/testkit';
import { zodResponseFormat, zodTextFormat } from 'openai/helpers/zod';
import type { ParsedResponse } from 'openai/resources/responses/responses';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { GatewayBench } from '../harness.ts';

const schema = z.object({ answer: z.string() });
const parameters = { type: 'object', properties: {}, required: [], additionalProperties: false };
const times = [1, 2, 3];
const chat = {
  model: 'm',
  tools: [{ type: 'function' as const, function: { name: 'read', parameters, strict: true } }],
  response_format: zodResponseFormat(schema, 'answer'),
  messages: [
    { role: 'user' as const, content: 'Go' },
    ...times.flatMap((n) => {
      const id = `c${String(n)}`;
      const call = { id, type: 'function' as const, function: { name: 'read', arguments: '{}' } };
      return [
        { role: 'assistant' as const, content: null, tool_calls: [call] },
        { role: 'tool' as const, tool_call_id: id, content: 'not found' },
      ];
    }),
  ],
};
const responses = {
  model: 'm',
  tools: [{ type: 'function' as const, name: 'read', parameters, strict: true }],
  text: { format: zodTextFormat(schema, 'answer') },
  input: [
    { role: 'user' as const, content: 'Go' },
    ...times.flatMap((n) => {
      const id = { call_id: `c${String(n)}` };
      return [
        { type: 'function_call' as const, ...id, name: 'read', arguments: '{}' },
        { type: 'function_call_output' as const, ...id, output: 'not found' },
      ];
    }),
  ],
};

function refusalIn({ output }: ParsedResponse<unknown>): unknown[] {
  return output.flatMap((item) => (item.type === 'message' ? item.content : []));
}

const stopped = expect.stringContaining('Tool call loop detected') as string;

// The official client parses any other text as JSON, and throws.
describe.each(['proxy', 'balanced'])('a stop is a refusal to a client that expects JSON (%s)', (preset) => {
  const loop = () =>
    GatewayBench.start((request) => modelReply(request, { calls: [{ name: 'read', args: {} }] }), { preset });

  it('in Chat Completions', async () => {
    await using bench = await loop();
    const { choices } = await bench.openai().chat.completions.parse(chat);
    expect(choices[0]?.message).toMatchObject({ content: null, refusal: stopped, parsed: null });
    const several = await bench.openai().chat.completions.parse({ ...chat, n: 2 });
    expect(several.choices.map(({ message }) => message.refusal)).toEqual([stopped, stopped]);
  });

  it('in streams of Chat Completions', async () => {
    await using bench = await loop();
    const final = await bench.openai().chat.completions.stream(chat).finalChatCompletion();
    expect(final.choices[0]?.message).toMatchObject({ refusal: stopped, parsed: null });
  });

  it('in Responses', async () => {
    await using bench = await loop();
    const whole = await bench.openai().responses.parse(responses);
    expect([refusalIn(whole), whole.output_parsed]).toEqual([[{ type: 'refusal', refusal: stopped }], null]);
    const streamed = await bench.openai().responses.stream(responses).finalResponse();
    expect(refusalIn(streamed)).toEqual([{ type: 'refusal', refusal: stopped }]);
  });
});
