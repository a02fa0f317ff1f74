import Anthropic from '@anthropic-ai/sdk';
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema';
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

/** `@anthropic-ai/sdk`: its tool runner. */
export const runAnthropic: RunAgent = async (given, getWeather) => {
  const client = new Anthropic({
    apiKey,
    baseURL: given.url,
    maxRetries: 0,
    defaultHeaders: headersOf(given),
  });
  const tool = betaTool({
    name: toolName,
    description: toolDescription,
    inputSchema: toolSchema,
    run: getWeather,
  });
  const body = {
    model: given.model,
    max_tokens: 1000,
    messages: [{ role: 'user' as const, content: prompt }],
    tools: [tool],
    max_iterations: MOST_TURNS,
  };
  const { messages } = client.beta;
  const answer = given.stream
    ? await messages.toolRunner({ ...body, stream: true })
    : await messages.toolRunner(body);
  return answer.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
};
