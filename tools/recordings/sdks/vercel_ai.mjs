import { createOpenAI } from '@ai-sdk/openai';
import { OpenTelemetry } from '@ai-sdk/otel';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { generateText, registerTelemetry, stepCountIs, streamText, tool } from 'ai';
import { z } from 'zod';
import { PROMPT, readFile } from './agent.mjs';

const provider = new NodeTracerProvider({
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
});
provider.register();
const sessionId = ['ai-sdk', ...process.argv.slice(2)].join('-');
registerTelemetry(new OpenTelemetry({ enrichSpan: () => ({ 'gen_ai.conversation.id': sessionId }) }));
const options = {
  model: createOpenAI().responses('gpt-5-mini'),
  prompt: PROMPT,
  maxRetries: 0,
  stopWhen: stepCountIs(20),
  tools: {
    read_file: tool({
      inputSchema: z.object({ path: z.string() }),
      execute: async ({ path }) => readFile(path),
    }),
  },
};
if (process.argv.includes('streamed')) await streamText(options).consumeStream();
else await generateText(options);
await provider.shutdown();
