import { AIMessage, type BaseMessage, HumanMessage, type ToolMessage } from '@langchain/core/messages';
import { fakeModel } from '@langchain/core/testing';
import { tool as langchainTool } from '@langchain/core/tools';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import { Agent, tool as functionTool, type Model, run, setTracingDisabled, Usage } from '@openai/agents';
import { tool as aiTool, generateText, stepCountIs } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { createAgent, createMiddleware } from 'langchain';
import * as z from 'zod';
import type { Guard } from '../src/index.ts';

setTracingDisabled(true);

/** A tool call of the model. */
export interface Step {
  readonly name: string;
  readonly args: Readonly<Record<string, string>>;
}

export interface Scenario {
  readonly steps: readonly Step[];
  /** Runs a tool; calls are numbered from 0. */
  readonly act: (step: Step, call: number) => string | Promise<string>;
}

export interface AgentRun {
  readonly scenario: Scenario;
  readonly guard?: Guard | undefined;
  /** Whether the run should end, for runs without a guard. */
  readonly isStopped?: () => boolean;
}

/** The tool results that the model received, and how the run ended. */
export interface Outcome {
  readonly results: readonly string[];
  readonly isDone: boolean;
}

export type RunAgent = (given: AgentRun) => Promise<Outcome>;

const schema = z.object({}).catchall(z.string());
const DONE = 'All done.';
const MAX_TURNS = 100;

function toolsOf({ steps, act }: Scenario): [string, (args: Step['args']) => Promise<string>][] {
  let calls = 0;
  return [...new Set(steps.map(({ name }) => name))].map((name) => [
    name,
    async (args) => act({ name, args }, (calls += 1) - 1),
  ]);
}

function stopOf({ guard, isStopped }: AgentRun): () => boolean {
  return () => guard?.stopped ?? isStopped?.() ?? false;
}

const plainLoop: RunAgent = async (given) => {
  const { guard, scenario } = given;
  const isOver = stopOf(given);
  const tools = new Map(
    toolsOf(scenario).map(([name, act]) => [name, guard === undefined ? act : guard.tool(name, act)]),
  );
  const results: string[] = [];
  for (const { name, args } of scenario.steps) {
    results.push(await tools.get(name)!(args));
    if (isOver()) return { results, isDone: false };
  }
  return { results, isDone: true };
};

export function aiModel({ steps }: Scenario): MockLanguageModelV3 {
  let turn = 0;
  const count = (total: number) => ({
    total,
    noCache: total,
    cacheRead: 0,
    cacheWrite: 0,
    text: total,
    reasoning: 0,
  });
  return new MockLanguageModelV3({
    doGenerate: () => {
      const step = steps[turn];
      turn += 1;
      const call = step && {
        type: 'tool-call' as const,
        toolCallId: `c-${String(turn)}`,
        toolName: step.name,
        input: JSON.stringify(step.args),
      };
      return Promise.resolve({
        content: [call ?? { type: 'text' as const, text: DONE }],
        finishReason: { unified: call ? 'tool-calls' : 'stop', raw: undefined },
        usage: { inputTokens: count(10), outputTokens: count(5) },
        warnings: [],
      });
    },
  });
}

export function aiTools(scenario: Scenario) {
  return Object.fromEntries(
    toolsOf(scenario).map(([name, execute]) => [name, aiTool({ inputSchema: schema, execute })]),
  );
}

const aiSdk: RunAgent = async (given) => {
  const { guard, scenario } = given;
  const plain = aiTools(scenario);
  const { steps, text } = await generateText({
    model: aiModel(scenario),
    prompt: 'Go on',
    tools: guard?.aiTools(plain) ?? plain,
    stopWhen: [stepCountIs(MAX_TURNS), guard?.stopWhen ?? stopOf(given)],
    ...(guard && { onStepFinish: guard.onStepFinish }),
  });
  const results = steps.flatMap(({ toolResults }) => toolResults.map(({ output }) => output as string));
  return { results, isDone: text === DONE };
};

export function langchainTools(scenario: Scenario) {
  return toolsOf(scenario).map(([name, act]) => langchainTool(act, { name, description: name, schema }));
}

/** The response of a chat model to the messages so far. */
export function answerTo({ steps }: Scenario, messages: readonly BaseMessage[]): AIMessage {
  const turn = messages.filter((message) => message.type === 'tool').length;
  const step = steps[turn];
  const call = step && { id: `c-${String(turn)}`, name: step.name, args: step.args };
  return call ? new AIMessage({ content: '', tool_calls: [call] }) : new AIMessage(DONE);
}

const langGraph: RunAgent = async (given) => {
  const { guard, scenario } = given;
  const isOver = stopOf(given);
  const plain = langchainTools(scenario);
  const tools = guard?.langchainTools(plain) ?? plain;
  const model = ({ messages }: typeof MessagesAnnotation.State) => ({
    messages: [answerTo(scenario, messages)],
  });
  const graph = new StateGraph(MessagesAnnotation)
    .addNode('agent', model)
    .addNode('tools', new ToolNode(tools))
    .addEdge(START, 'agent')
    .addConditionalEdges('agent', ({ messages }) =>
      (messages.at(-1) as AIMessage).tool_calls?.length ? 'tools' : END,
    )
    .addConditionalEdges('tools', () => (isOver() ? END : 'agent'))
    .compile();
  const { messages } = await graph.invoke(
    { messages: [new HumanMessage('Go on')] },
    { recursionLimit: 3 * MAX_TURNS },
  );
  const results = messages
    .filter((message): message is ToolMessage => message.type === 'tool')
    .map(({ content }) => content as string);
  return { results, isDone: messages.at(-1)?.content === DONE };
};

const langChain: RunAgent = async (given) => {
  const { guard, scenario } = given;
  const model = fakeModel();
  // The model decides by the messages, of which it sees one more tool result each time.
  for (let turn = 0; turn < MAX_TURNS; turn += 1) model.respond((messages) => answerTo(scenario, messages));
  const isOver = stopOf(given);
  const stopping = createMiddleware({
    name: 'stopping',
    beforeModel: { canJumpTo: ['end'], hook: () => (isOver() ? { jumpTo: 'end' } : undefined) },
  });
  const agent = createAgent({
    model,
    tools: langchainTools(scenario),
    middleware: [guard?.langchainMiddleware() ?? stopping],
  });
  const { messages } = await agent.invoke(
    { messages: [new HumanMessage('Go on')] },
    { recursionLimit: 6 * MAX_TURNS },
  );
  const results = messages
    .filter((message): message is ToolMessage => message.type === 'tool')
    .map(({ content }) => content as string);
  return { results, isDone: messages.at(-1)?.content === DONE };
};

export function agentsModel({ steps }: Scenario): Model {
  let turn = 0;
  return {
    getResponse: () => {
      const step = steps[turn];
      turn += 1;
      return Promise.resolve({
        usage: new Usage(),
        output: [
          step
            ? {
                type: 'function_call' as const,
                callId: `c-${String(turn)}`,
                name: step.name,
                arguments: JSON.stringify(step.args),
                status: 'completed' as const,
              }
            : {
                type: 'message' as const,
                role: 'assistant' as const,
                status: 'completed' as const,
                content: [{ type: 'output_text' as const, text: DONE }],
              },
        ],
      });
    },
    getStreamedResponse: () => {
      throw new Error('not streamed');
    },
  };
}

export function agentsTools(scenario: Scenario) {
  const parameters = {
    type: 'object' as const,
    properties: {},
    required: [],
    additionalProperties: true as const,
  };
  return toolsOf(scenario).map(([name, act]) =>
    functionTool({
      name,
      description: name,
      parameters,
      strict: false,
      execute: (args) => act(args as Step['args']),
    }),
  );
}

const openAiAgents: RunAgent = async (given) => {
  const { guard, scenario } = given;
  const isOver = stopOf(given);
  const plain = agentsTools(scenario);
  const agent = new Agent({
    name: 'Worker',
    model: agentsModel(scenario),
    tools: guard?.agentsTools(plain) ?? plain,
    toolUseBehavior:
      guard?.toolUseBehavior ??
      (() =>
        isOver()
          ? { isFinalOutput: true, isInterrupted: undefined, finalOutput: 'stopped' }
          : { isFinalOutput: false, isInterrupted: undefined }),
  });
  const result = await run(agent, 'Go on', { maxTurns: MAX_TURNS });
  const results = result.history.flatMap((item) =>
    item.type === 'function_call_result' ? [textOf(item.output)] : [],
  );
  return { results, isDone: result.finalOutput === DONE };
};

function textOf(output: unknown): string {
  return typeof output === 'string' ? output : (output as { text: string }).text;
}

/** Agents of each SDK that run a scenario with a scripted model. */
export const agents: readonly (readonly [string, RunAgent])[] = [
  ['a loop over plain functions', plainLoop],
  ['the AI SDK', aiSdk],
  ['LangGraph', langGraph],
  ['LangChain', langChain],
  ['the OpenAI Agents SDK', openAiAgents],
];
