import type { AgentContractSettings, DetectionSettings, ToolContractSettings } from '@loopwatch/contract';
import { memo } from '../lib/memo.ts';
import { textTemplate } from '../lib/text-template.ts';
import { agentContracts } from './index.ts';

/** Framing around a result's own words: quotes, brackets, tags, and the keys that texts are wrapped in. */
const FRAME =
  '(?:[\\s"\'`\\\\{}:,.()<>\\[\\]/]|\\b(?:type|text|content|output|message|error|is_?error|true|result|tool_use_error)\\b)*';
const ANY_TEXT = '{text}';
/** A longer result says more than just that a call was not run. */
const NOT_RUN_UNITS = 2000;
/** How any agent may say, at the head of a result, that a call was not run. */
const NOT_RUN_BY_ANY = new RegExp(
  [
    `(?:^${FRAME}|\\b(?:tool|call|use|execution|operation|command|action|request|permission)\\b.{0,40}\\b)(?:cancell?ed|aborted|rejected|denied|declined|interrupted|skipped) by (?:the )?(?:user|human)\\b`,
    /\b(?:user|human) (?:has )?(?:cancell?ed|aborted|rejected|denied|declined|interrupted|did not (?:approve|allow)|chose (?:not to|to (?:skip|reject|deny)))\b/
      .source,
    /\b(?:skipp|cancell?)(?:ed|ing)\b.{0,60}\b(?:previous|another|sibling|parallel)\b.{0,40}\b(?:failed|errored|rejected)\b/
      .source,
    `^${FRAME}(?:(?:the )?(?:tool )?(?:call )?(?:was )?not executed|this tool call was skipped|skipped (?:because|due)\\b|cancell?ed${FRAME}$|(?:operation|tool call) (?:cancell?ed|interrupted)\\b)`,
  ].join('|'),
  'i',
);
const NOT_RUN_HEAD_UNITS = 160;

type Tools = ReadonlyMap<string, ToolContractSettings>;

/** Knowledge of agents: their tools, and the texts that their harnesses write. */
export class AgentKnowledge {
  readonly #byName = new Map<string, ToolContractSettings>();
  readonly #byAgent = new Map<string, Tools>();
  readonly #noise: RegExp;
  readonly #notRun: RegExp;
  readonly #harnessPrompts: RegExp;

  constructor(contracts: Readonly<Record<string, AgentContractSettings>>) {
    for (const [agent, { names = [], tools = {} }] of Object.entries(contracts)) {
      const own: Tools = new Map(Object.entries(tools));
      for (const name of [agent, ...names]) this.#byAgent.set(plainName(name), own);
      for (const [name, tool] of own) if (!this.#byName.has(name)) this.#byName.set(name, tool);
    }
    const all = Object.values(contracts);
    this.#noise = noiseOf(all.flatMap(({ result_noise: noise = [] }) => noise));
    this.#notRun = anyOf(all.flatMap(({ not_run: notRun = [] }) => notRun));
    this.#harnessPrompts = anyOf(all.flatMap(({ harness_prompts: prompts = [] }) => prompts));
  }

  /** The contract of a tool by name; the agent's own contract wins if the events name their agent. */
  tool(name: string, agent: string | null): ToolContractSettings | undefined {
    const own = agent === null ? undefined : this.#toolsOf(agent)?.get(name);
    return own ?? this.#byName.get(name);
  }

  #toolsOf(agent: string): Tools | undefined {
    return this.#byAgent.get(agent) ?? this.#byAgent.get(plainName(agent));
  }

  /** Strips what the agent's harness adds to a result. */
  withoutNoise(text: string): string {
    return text.replace(this.#noise, '');
  }

  /** Whether a result only says that the call was not run. */
  saysNotRun(text: string): boolean {
    if (text.length > NOT_RUN_UNITS) return false;
    return this.#notRun.test(text) || NOT_RUN_BY_ANY.test(text.slice(0, NOT_RUN_HEAD_UNITS));
  }

  /** Whether the agent's harness writes such prompts. */
  isHarnessPrompt(text: string): boolean {
    return this.#harnessPrompts.test(text.slice(0, NOT_RUN_UNITS));
  }
}

/**
 * Matches any of the texts anywhere. V8 merges the openings into one search, which halves the time of the alternatives
 * alone, and takes a third of the time of a search for each.
 */
function noiseOf(templates: readonly string[]): RegExp {
  const parsed = [...new Set(templates)].map(textTemplate);
  if (parsed.length === 0) return /(?!)/g;
  const openings = parsed.map(({ opening }) => opening).join('|');
  return new RegExp(`(?=${openings})(?:${parsed.map(({ source }) => source).join('|')})`, 'g');
}

/** Matches any of the texts in full, whatever its framing. */
function anyOf(templates: readonly string[]): RegExp {
  // A template that ends with arbitrary text needs no end anchor.
  const sources = templates.map((template) =>
    template.endsWith(ANY_TEXT)
      ? textTemplate(template.slice(0, -ANY_TEXT.length)).source
      : `${textTemplate(template).source}${FRAME}$`,
  );
  return new RegExp(`^${FRAME}(?:${sources.join('|')})`, 'i');
}

/** Quotes, brackets and keys around a result's message, as printed by JSON and Python. */
const AROUND_MESSAGE =
  /^(?:\\[nrt]|<\/?(?:html|head|title|body|center|h1|tool_use_error)\b[^>]{0,80}>|[\s\W]|(?:none|null)\b|(?:_?meta|text|textcontent|type|content|message|output|detail|annotations)(?=\\{0,15}["'=:(]))*/i;

/** A result from the first word of its message onward. */
export function unframed(text: string): string {
  return text.replace(AROUND_MESSAGE, '');
}

/** `Claude Code` and `claude_code` are one name. */
function plainName(name: string): string {
  return name.toLowerCase().replace(/[\s_]+/g, '-');
}

/** Cached by contracts: plans are made often, mostly from the same contracts. */
const known = memo<AgentKnowledge>(16);

/** @param own contracts of the user's agents; one named like a shipped agent extends the shipped contract */
export function agentKnowledge(own: Readonly<Record<string, AgentContractSettings>>): AgentKnowledge {
  return known(JSON.stringify(own), () => {
    const names = new Set([...Object.keys(own), ...Object.keys(agentContracts)]);
    const contracts = [...names].map((name) => [name, merged(own[name] ?? {}, agentContracts[name] ?? {})]);
    return new AgentKnowledge(Object.fromEntries(contracts) as Record<string, AgentContractSettings>);
  });
}

function merged(own: AgentContractSettings, base: AgentContractSettings): AgentContractSettings {
  const lists = (['names', 'result_noise', 'not_run', 'harness_prompts'] as const).map(
    (key) => [key, [...(own[key] ?? []), ...(base[key] ?? [])]] as const,
  );
  return { tools: { ...base.tools, ...own.tools }, ...Object.fromEntries(lists) };
}

/** Knowledge for interpreting calls and their results. */
export interface CallKnowledge {
  /** Contracts of single tools; they win over the contracts of agents. */
  readonly tools: Readonly<Record<string, ToolContractSettings>>;
  readonly agents: AgentKnowledge;
}

export function callKnowledge({ per_tool: tools, agents }: DetectionSettings): CallKnowledge {
  return { tools, agents: agentKnowledge(contractsIn(agents)) };
}

/** The contracts in the settings of agents, without the limits of sub-agents. */
export function contractsIn(
  agents: DetectionSettings['agents'],
): Readonly<Record<string, AgentContractSettings>> {
  return Object.fromEntries(
    Object.entries(agents).filter(
      (entry): entry is [string, AgentContractSettings] => typeof entry[1] === 'object',
    ),
  );
}

/** The contract of a tool: the user's, merged over the agent's. */
export function contractOf(
  name: string,
  agent: string | null,
  { tools, agents }: CallKnowledge,
): ToolContractSettings | undefined {
  const own = Object.hasOwn(tools, name) ? tools[name] : undefined;
  const known = agents.tool(name, agent);
  return own === undefined || known === undefined ? (own ?? known) : { ...known, ...own };
}
