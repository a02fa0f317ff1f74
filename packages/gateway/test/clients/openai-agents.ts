import {
  Agent,
  OpenAIChatCompletionsModel,
  OpenAIResponsesModel,
  run,
  setTracingDisabled,
  tool,
} from '@openai/agents';
import OpenAI from 'openai';
import * as z from 'zod';
import {
  apiKey,
  headersOf,
  MOST_TURNS,
  prompt,
  type RunAgent,
  toolDescription,
  toolName,
} from './client-case.ts';

setTracingDisabled(true);

/** `@openai/agents`. */
export const runOpenAiAgents: RunAgent = async (given, getWeather) => {
  const client = new OpenAI({
    apiKey,
    baseURL: `${given.url}/v1`,
    maxRetries: 0,
    defaultHeaders: headersOf(given),
  });
  const Model = given.api === 'chat' ? OpenAIChatCompletionsModel : OpenAIResponsesModel;
  const agent = new Agent({
    name: 'Weather',
    model: new Model(client, given.model),
    tools: [
      tool({
        name: toolName,
        description: toolDescription,
        parameters: z.object({ city: z.string() }),
        execute: getWeather,
        // A failure of the tool is a failure of the test, not something for the model.
        errorFunction: null,
      }),
    ],
  });
  if (!given.stream) return (await run(agent, prompt, { maxTurns: MOST_TURNS })).finalOutput ?? '';
  const result = await run(agent, prompt, { maxTurns: MOST_TURNS, stream: true });
  await result.completed;
  return result.finalOutput ?? '';
};
