import type { DetectionSettings, Mode, ToolContractSettings } from '@loopwatch/contract';
import { type AgentKnowledge, agentKnowledge } from '../agents/agent-knowledge.ts';
import { isOn } from '../lib/is-on.ts';
import { presets, type RoundPreset } from '../settings/presets.ts';

/** Options of the rules that look at calls together with their results. */
export interface RoundOptions {
  /** `null`: off. */
  readonly cycle: { readonly maxPeriod: number; readonly threshold: number; readonly mode: Mode } | null;
  readonly stagnation: (RoundPreset['stagnation'] & { readonly mode: Mode }) | null;
  /** Failures in a row that are none of the agent's making. */
  readonly outage: { readonly threshold: number } | null;
  /** What is declared of single tools; it wins over what is known of agents. */
  readonly tools: Readonly<Record<string, ToolContractSettings>>;
  readonly agents: AgentKnowledge;
}

/** Where a preset has no rules over steps, those that are asked for start with these numbers. */
const fallback = presets.balanced.rounds as RoundPreset;

/** What is declared of a tool, by the user and by its agent's contract. */
export function contractOf(
  name: string,
  agent: string | null,
  { tools, agents }: RoundOptions,
): ToolContractSettings | undefined {
  const own = Object.hasOwn(tools, name) ? tools[name] : undefined;
  const known = agents.tool(name, agent);
  return own === undefined || known === undefined ? (own ?? known) : { ...known, ...own };
}

/** The options of the rules over steps; `null` where the preset and the settings want none of them. */
export function roundOptions(
  settings: DetectionSettings,
  preset: RoundPreset | null,
  mode: Mode,
): RoundOptions | null {
  const { tool_cycle: cycle, stagnation, outage } = settings;
  const wanted = (block: Parameters<typeof isOn>[0]): boolean => isOn(block, preset !== null);
  if (preset === null && ![cycle, stagnation, outage].some(wanted)) return null;
  const base = preset ?? fallback;
  return {
    cycle: wanted(cycle)
      ? {
          maxPeriod: cycle.max_period ?? base.cycle.maxPeriod,
          threshold: cycle.min_repeats ?? base.cycle.minRepeats,
          mode: cycle.mode ?? mode,
        }
      : null,
    stagnation: wanted(stagnation)
      ? {
          sameError: stagnation.same_error ?? base.stagnation.sameError,
          sameFailure: stagnation.same_failure ?? base.stagnation.sameFailure,
          sameResult: stagnation.same_result ?? base.stagnation.sameResult,
          sameAnswer: stagnation.same_answer ?? base.stagnation.sameAnswer,
          samePrompt: stagnation.same_prompt ?? base.stagnation.samePrompt,
          nothingNew: stagnation.nothing_new ?? base.stagnation.nothingNew,
          mode: stagnation.mode ?? mode,
        }
      : null,
    outage: wanted(outage) ? { threshold: outage.min_failures ?? base.outage.minFailures } : null,
    tools: settings.per_tool,
    agents: agentKnowledge(settings.agents),
  };
}
