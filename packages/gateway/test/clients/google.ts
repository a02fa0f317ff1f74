import { type Content, type GenerateContentResponse, GoogleGenAI } from '@google/genai';
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

/** `@google/genai`: its chat, which keeps the history. */
export const runGoogle: RunAgent = async (given, getWeather) => {
  const client = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: given.url, headers: headersOf(given) } });
  const declaration = { name: toolName, description: toolDescription, parametersJsonSchema: toolSchema };
  const chat = client.chats.create({
    model: given.model,
    config: { tools: [{ functionDeclarations: [declaration] }] },
  });
  let message: NonNullable<Content['parts']> = [{ text: prompt }];
  for (let turn = 0; turn < MOST_TURNS; turn += 1) {
    const records: GenerateContentResponse[] = [];
    if (given.stream)
      for await (const record of await chat.sendMessageStream({ message })) records.push(record);
    else records.push(await chat.sendMessage({ message }));
    const calls = records.flatMap(({ functionCalls }) => functionCalls ?? []);
    if (calls.length === 0) return records.map(({ text }) => text ?? '').join('');
    message = calls.map(({ id, name, args }) => ({
      functionResponse: {
        ...(id !== undefined && { id }),
        name: name ?? '',
        response: { output: getWeather(args as { city: string }) },
      },
    }));
  }
  throw new Error('the agent went on for too long');
};
