import type { DetectionSettings, ToolContractSettings } from '@loopwatch/contract';
import { type AgentKnowledge, agentKnowledge } from '../agents/agent-knowledge.ts';

/** What calls and their results are read by. */
export interface CallKnowledge {
  /** What is declared of single tools; it wins over what is known of agents. */
  readonly tools: Readonly<Record<string, ToolContractSettings>>;
  readonly agents: AgentKnowledge;
}

export function callKnowledge({ per_tool: tools, agents }: DetectionSettings): CallKnowledge {
  return { tools, agents: agentKnowledge(agents) };
}

/** What is declared of a tool, by the user and by its agent's contract. */
export function contractOf(
  name: string,
  agent: string | null,
  { tools, agents }: CallKnowledge,
): ToolContractSettings | undefined {
  const own = Object.hasOwn(tools, name) ? tools[name] : undefined;
  const known = agents.tool(name, agent);
  return own === undefined || known === undefined ? (own ?? known) : { ...known, ...own };
}
