import { type BaseMessage, HumanMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt';
import { ChatOpenAI } from '@langchain/openai';
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

/** `@langchain/langgraph` with `@langchain/openai`. */
export const runLangGraph: RunAgent = async (given, getWeather) => {
  const model = new ChatOpenAI({
    model: given.model,
    apiKey,
    maxRetries: 0,
    streaming: given.stream,
    useResponsesApi: given.api === 'responses',
    configuration: { baseURL: `${given.url}/v1`, defaultHeaders: headersOf(given) },
  });
  const schema = z.object({ city: z.string() });
  const tools = [
    tool((input: { city: string }) => getWeather(input), {
      name: toolName,
      description: toolDescription,
      schema,
    }),
  ];
  const asking = model.bindTools(tools);
  const agent = new StateGraph(MessagesAnnotation)
    .addNode('model', async ({ messages }) => ({ messages: [await asking.invoke(messages)] }))
    .addNode('tools', new ToolNode(tools))
    .addEdge(START, 'model')
    .addConditionalEdges('model', toolsCondition)
    .addEdge('tools', 'model')
    .compile();
  const state = { messages: [new HumanMessage(prompt)] };
  const options = { recursionLimit: 2 * MOST_TURNS };
  if (!given.stream) return textOf((await agent.invoke(state, options)).messages);
  let messages: readonly BaseMessage[] = [];
  for await (const [mode, value] of await agent.stream(state, {
    ...options,
    streamMode: ['messages', 'values'],
  }))
    if (mode === 'values') messages = (value as { messages: BaseMessage[] }).messages;
  return textOf(messages);
};

function textOf(messages: readonly BaseMessage[]): string {
  return messages.at(-1)?.text ?? '';
}
