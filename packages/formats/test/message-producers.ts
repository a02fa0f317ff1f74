import type { Call, Producer } from './producers.ts';

/*
 * Lists of messages in the shapes of frameworks and benchmarks, and requests with their responses in the shapes of proxies.
 */

const user = { role: 'user', content: 'look' };
const histories = (messagesOf: (call: Call) => readonly object[]): ((calls: readonly Call[]) => object[]) => {
  return (calls) => [{ messages: [user, ...calls.flatMap((call) => messagesOf(call))] }];
};

/** The same calls as in the messages of each producer. */
export const messageProducers: Record<string, Producer> = {
  AgentDojo: [
    'messages',
    histories(({ id, args, result }) => {
      const call = { function: 'read_file', args, id, placeholder_args: null };
      return [
        { role: 'assistant', content: 'I look.', tool_calls: [call] },
        { role: 'tool', content: result, tool_call_id: id, tool_call: call, error: null },
      ];
    }),
  ],
  'Inspect AI': [
    'messages',
    histories(({ id, args, result }) => [
      {
        role: 'assistant',
        content: 'I look.',
        source: 'generate',
        tool_calls: [{ id, function: 'read_file', arguments: args, type: 'function' }],
      },
      { role: 'tool', content: result, tool_call_id: id, function: 'read_file' },
    ]),
  ],
  AG2: [
    'messages',
    histories(({ id, args, result }) => [
      {
        role: 'assistant',
        name: 'coder',
        content: 'I look.',
        tool_calls: [
          { id, type: 'function', function: { name: 'read_file', arguments: JSON.stringify(args) } },
        ],
      },
      {
        role: 'tool',
        name: 'user_proxy',
        content: result,
        tool_responses: [{ tool_call_id: id, role: 'tool', content: result }],
      },
    ]),
  ],
};
