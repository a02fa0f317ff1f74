import { runAnthropic } from './anthropic.ts';
import { outcomeOf, type RunAgent } from './client-case.ts';
import { type Client, describeClients } from './describe-clients.ts';
import { runGoogle } from './google.ts';
import { runLangGraph } from './langgraph.ts';
import { runOpenAi } from './openai.ts';
import { runOpenAiAgents } from './openai-agents.ts';
import { runVercelAi } from './vercel-ai.ts';

const inProcess =
  (agent: RunAgent): Client['run'] =>
  (cases) =>
    Promise.all(cases.map((given) => outcomeOf(agent, given)));

describeClients([
  { name: 'openai', apis: ['chat', 'responses'], run: inProcess(runOpenAi) },
  { name: '@anthropic-ai/sdk', apis: ['messages'], run: inProcess(runAnthropic) },
  { name: '@google/genai', apis: ['gemini'], run: inProcess(runGoogle) },
  { name: 'ai', apis: ['chat', 'responses', 'messages'], run: inProcess(runVercelAi) },
  { name: '@openai/agents', apis: ['chat', 'responses'], run: inProcess(runOpenAiAgents) },
  { name: '@langchain/langgraph', apis: ['chat', 'responses'], run: inProcess(runLangGraph) },
]);
