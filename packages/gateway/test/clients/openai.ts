import OpenAI from 'openai';
import type { Response, ResponseInput } from 'openai/resources/responses/responses';
import {
  apiKey,
  headersOf,
  MOST_TURNS,
  prompt,
  type RunAgent,
  toolDescription,
  toolName,
  toolSchema,
} from './client-case.ts';

/** `openai`: the tool runner of Chat Completions, and Responses that go on from each other. */
export const runOpenAi: RunAgent = (given, getWeather) =>
  given.api === 'chat' ? runChat(given, getWeather) : runResponses(given, getWeather);

const runChat: RunAgent = async (given, getWeather) => {
  const { model, stream } = given;
  const tool = {
    type: 'function' as const,
    function: {
      name: toolName,
      description: toolDescription,
      parameters: toolSchema,
      parse: (text: string) => JSON.parse(text) as { city: string },
      function: getWeather,
    },
  };
  const body = { model, messages: [{ role: 'user' as const, content: prompt }], tools: [tool] };
  const options = { maxChatCompletions: MOST_TURNS };
  const { completions } = clientOf(given).chat;
  const runner = stream
    ? completions.runTools({ ...body, stream: true }, options)
    : completions.runTools(body, options);
  return (await runner.finalContent()) ?? '';
};

const runResponses: RunAgent = async (given, getWeather) => {
  const client = clientOf(given);
  const tools = [
    {
      type: 'function' as const,
      name: toolName,
      description: toolDescription,
      parameters: toolSchema,
      strict: true,
    },
  ];
  let input: ResponseInput = [{ role: 'user', content: prompt }];
  let previous: string | null = null;
  for (let turn = 0; turn < MOST_TURNS; turn += 1) {
    const body = { model: given.model, input, tools, previous_response_id: previous };
    const answer: Response = given.stream
      ? await client.responses.stream(body).finalResponse()
      : await client.responses.create(body);
    const calls = answer.output.flatMap((item) => (item.type === 'function_call' ? [item] : []));
    if (calls.length === 0) return answer.output_text;
    previous = answer.id;
    input = calls.map(({ call_id, arguments: args }) => ({
      type: 'function_call_output',
      call_id,
      output: getWeather(JSON.parse(args) as { city: string }),
    }));
  }
  throw new Error('the agent went on for too long');
};

function clientOf(given: Parameters<RunAgent>[0]): OpenAI {
  return new OpenAI({
    apiKey,
    baseURL: `${given.url}/v1`,
    maxRetries: 0,
    defaultHeaders: headersOf(given),
  });
}
