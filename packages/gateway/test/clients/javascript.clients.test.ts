import { runAnthropic } from './anthropic.ts';
import { outcomeOf, type RunAgent } from './client-case.ts';
import { type Client, describeClients } from './describe-clients.ts';
import { runGoogle } from './google.ts';
import { runLangGraph } from './langgraph.ts';
import { runOpenAi } from './openai.ts';
import { runOpenAiAgents } from './openai-agents.ts';
import { testedClients } from './tested-clients.ts';
import { runVercelAi } from './vercel-ai.ts';

const inProcess =
  (agent: RunAgent): Client['run'] =>
  (cases) =>
    Promise.all(cases.map((given) => outcomeOf(agent, given)));

const { npm } = testedClients;

// Stops by gateway: AI SDK; LangGraph, LangChain; OpenAI Agents SDK
describeClients([
  { name: 'openai', apis: npm.openai, run: inProcess(runOpenAi) },
  { name: '@anthropic-ai/sdk', apis: npm['@anthropic-ai/sdk'], run: inProcess(runAnthropic) },
  { name: '@google/genai', apis: npm['@google/genai'], run: inProcess(runGoogle) },
  { name: 'ai', apis: npm.ai, run: inProcess(runVercelAi) },
  { name: '@openai/agents', apis: npm['@openai/agents'], run: inProcess(runOpenAiAgents) },
  { name: '@langchain/langgraph', apis: npm['@langchain/langgraph'], run: inProcess(runLangGraph) },
]);
