import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, type LanguageModel, stepCountIs, streamText, tool } from 'ai';
import * as z from 'zod';
import {
  apiKey,
  type ClientCase,
  headersOf,
  MOST_TURNS,
  prompt,
  type RunAgent,
  toolDescription,
} from './client-case.ts';

/** `ai`, the Vercel AI SDK, with its providers for OpenAI and Anthropic. */
export const runVercelAi: RunAgent = async (given, getWeather) => {
  const options = {
    model: modelOf(given),
    prompt,
    maxRetries: 0,
    maxOutputTokens: 1000,
    stopWhen: stepCountIs(MOST_TURNS),
    tools: {
      get_weather: tool({
        description: toolDescription,
        inputSchema: z.object({ city: z.string() }),
        execute: (input) => Promise.resolve(getWeather(input)),
      }),
    },
  };
  if (!given.stream) return (await generateText(options)).text;
  // It reports failures and goes on: here they count.
  const errors: unknown[] = [];
  const result = streamText({ ...options, onError: ({ error }) => void errors.push(error) });
  const text = await result.text;
  if (errors.length > 0) throw new AggregateError(errors, errors.join('; '));
  return text;
};

function modelOf(given: ClientCase): LanguageModel {
  const options = { apiKey, baseURL: `${given.url}/v1`, headers: headersOf(given) };
  if (given.api === 'messages') return createAnthropic(options)(given.model);
  const openai = createOpenAI(options);
  return given.api === 'chat' ? openai.chat(given.model) : openai.responses(given.model);
}
