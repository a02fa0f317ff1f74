import { createOpenAI } from '@ai-sdk/openai';
import { generateText, stepCountIs, streamText, tool } from 'ai';
import * as z from 'zod';
import { traced } from './opentelemetry.ts';

/** Runs an agent on the AI SDK, with its telemetry switched on. */
const [url = '', session = '', calls, modelUrl = '', way] = process.argv.slice(2);

const options = {
  model: createOpenAI({ apiKey: 'none', baseURL: modelUrl }).chat('gpt-5-mini'),
  prompt: 'Read it',
  maxRetries: 0,
  stopWhen: stepCountIs(Number(calls) + 1),
  experimental_telemetry: { isEnabled: true, functionId: 'coder', metadata: { sessionId: session } },
  tools: {
    read_file: tool({
      // What the schema adds is in the histories, but not in the model's answers.
      inputSchema: z.object({ path: z.string(), lines: z.number().default(100) }),
      execute: () => Promise.resolve('an empty file'),
    }),
  },
};

await traced(url, 'protobuf', async () => {
  if (way === 'streamed') await streamText(options).consumeStream();
  else await generateText(options);
});
