import { parsePattern } from '../pattern/parse-pattern.ts';
import { budgetScopes } from '../verdicts/budget.ts';
import {
  block,
  boolean,
  choice,
  type Definition,
  defaults,
  type InputOf,
  list,
  mapOf,
  nullable,
  number,
  type OutputOf,
  optional,
  optionals,
  partial,
  prefault,
  text,
} from './definition.ts';

/**
 * The settings of detection, which the library takes. Defaults of the detectors come from the preset, so their keys
 * are optional here. They are data, because every page that detects loops loads them; `detection-schema.ts` makes zod's
 * schemas of them.
 */

/** A whole number from `min`, up to `max` if there is one. */
function whole(min: number, max?: number) {
  return number({ isWhole: true, min, ...(max !== undefined && { max }) });
}

/** A number above 0, up to `max` if there is one. */
function positive(max?: number) {
  return number({ above: 0, ...(max !== undefined && { max }) });
}

export const presetNames = [
  'balanced',
  'stream',
  'proxy',
  'similar',
  'general',
  'coding',
  'search',
  'api',
  'files',
] as const;
export type PresetName = (typeof presetNames)[number];

/** Actions when a loop is found; `break`, `chance` and `chance_then_break` are older spellings. */
const modeSpellings = ['warn', 'block', 'chance_then_block', 'break', 'chance', 'chance_then_break'] as const;
type ModeSpelling = (typeof modeSpellings)[number];
export type Mode = 'warn' | 'block' | 'chance_then_block';

function modeOf(spelling: ModeSpelling): Mode {
  if (spelling === 'break') return 'block';
  if (spelling === 'chance' || spelling === 'chance_then_break') return 'chance_then_block';
  return spelling;
}

const mode = choice(modeSpellings, modeOf);

const unitInterval = number({ min: 0, max: 1 });

const similarity = partial({
  algorithm: choice(['levenshtein', 'jaccard']),
  threshold: unitInterval,
  normalize_whitespace: boolean,
  ignore_case: boolean,
});

const toolCallLimits = {
  enabled: boolean,
  max_repeats: whole(2, 1_000_000),
  ttl_seconds: nullable(positive()),
  mode,
  similarity_threshold: unitInterval,
  similarity,
};

export const toolCallLoopDefinition = partial({
  ...toolCallLimits,
  error_messages: partial({ block: text(), warning: text() }),
  per_tool: mapOf(partial(toolCallLimits)),
});

const textLoop = partial({
  enabled: boolean,
  window: whole(8, 256),
  min_repeats: whole(2, 64),
  max_distance: whole(1, 1000),
  mode,
});

const toolCycle = partial({
  enabled: boolean,
  max_period: whole(2, 8),
  min_repeats: whole(2, 100),
  mode,
});

const stagnation = partial({
  enabled: boolean,
  same_error: whole(2, 60),
  same_failure: whole(2, 60),
  same_result: whole(2, 60),
  same_answer: whole(2, 60),
  same_prompt: whole(2, 60),
  nothing_new: whole(2, 60),
  mode,
});

const outage = partial({
  enabled: boolean,
  min_failures: whole(2, 60),
});

export const toolContractDefinition = partial({
  identity: list(text()),
  volatile: list(text()),
  poller: boolean,
  mutating: boolean,
  gui: boolean,
});

const placeholders = ['number', 'word', 'line', 'text'];

/** A text with placeholders. It starts with literal text, so that most texts are ruled out quickly. */
const textTemplate = text(500, (template, refuse) => {
  if (!/^[^\s{][^{]{3}/.test(template))
    refuse('must start with at least four literal characters, the first of which is not white space');
  // Adjacent numbers could be split in too many ways.
  if (/\}[\d.]*\{/.test(template)) refuse('must have more than digits and dots between two placeholders');
  if (![...template.matchAll(/\{(\w+)\}/g)].every(([, name = '']) => placeholders.includes(name)))
    refuse(
      `has an unknown placeholder; known ones are ${placeholders.map((name) => `{${name}}`).join(', ')}`,
    );
  if ((template.slice(0, -1).match(/\{(?:word|line|text)\}/g) ?? []).length > 1)
    refuse('can contain only one of {word}, {line} and {text} before a last one at its end');
});

export const agentContractDefinition = partial({
  names: list(text()),
  tools: mapOf(toolContractDefinition),
  result_noise: list(textTemplate),
  not_run: list(textTemplate),
  harness_prompts: list(textTemplate),
});

/** Limits of sub-agents, and contracts of agents by their names, which therefore cannot be those of the limits. */
export interface AgentsSettings {
  readonly [name: string]: OutputOf<typeof agentContractDefinition> | number | undefined;
  readonly max_children?: number | undefined;
  readonly max_depth?: number | undefined;
}

const agents = mapOf(
  agentContractDefinition,
  optionals({ max_children: whole(1, 10_000), max_depth: whole(1, 100) }),
) as Definition<AgentsSettings>;

/** The semantic settings that can differ by model, where omitted keys stay the server's. */
const modelSemantic = {
  enabled: boolean,
  mode,
  after_turns: whole(1),
  interval: whole(1),
  history_turns: whole(1, 100),
  confidence: unitInterval,
};

const semantic = block({
  ...optionals(modelSemantic),
  after_turns: prefault(modelSemantic.after_turns, 30),
  interval: prefault(modelSemantic.interval, 10),
  history_turns: prefault(modelSemantic.history_turns, 20),
  confidence: prefault(modelSemantic.confidence, 0.9),
  second_opinion: prefault(boolean, false),
  max_concurrent: prefault(whole(1), 4),
  per_minute: prefault(whole(1), 60),
  per_session: prefault(whole(1), 100),
  timeout_seconds: prefault(positive(3600), 60),
  max_characters: prefault(whole(2000, 1_000_000), 24_000),
});

const toolCallLimit = partial({
  enabled: boolean,
  max_turns: whole(1, 1_000_000),
});

const turnRequests = partial({
  enabled: boolean,
  max_turn_requests: whole(1, 1_000_000),
});

const budgetLimits = {
  enabled: boolean,
  tokens: number({ isWhole: true, above: 0 }),
  usd: positive(1_000_000_000),
  calls: number({ isWhole: true, above: 0 }),
  minutes: positive(1_000_000),
};

const budget = partial({ ...budgetLimits, per: choice(budgetScopes) });

const usd = number({ min: 0, max: 1_000_000 });

/** US dollars per million tokens of a model. */
const price = block({
  input: usd,
  output: usd,
  cached_input: optional(usd),
  cache_write: optional(usd),
});

/** Each mask pattern is searched for in every text that is written. */
const MAX_MASKS = 1000;

const pattern = text(undefined, (given, refuse) => {
  const parsed = parsePattern(given);
  const shown = given.length <= 80 ? given : `${given.slice(0, 79)}…`;
  if (!parsed.ok) refuse(`${JSON.stringify(shown)} ${parsed.why}`);
});

const stopAfterDenials = whole(1, 1_000_000);
const onBudget = choice(['stop', 'ask']);

/** The blocks of detectors that a model's settings and a server's share. */
const shared = {
  tool_call_loop: toolCallLoopDefinition,
  content_loop: textLoop,
  thought_loop: textLoop,
  tool_cycle: toolCycle,
  stagnation,
  outage,
  tool_call_limit: toolCallLimit,
  turn_requests: turnRequests,
};

/** Settings of a model. The last four are an older spelling of `tool_call_loop`, which takes precedence. */
export const modelDefinition = partial({
  enabled: boolean,
  stop_after_denials: stopAfterDenials,
  on_budget: onBudget,
  preset: choice(presetNames),
  ...shared,
  budget: partial(budgetLimits),
  per_tool: mapOf(toolContractDefinition),
  semantic: partial(modelSemantic),
  tool_loop_detection_enabled: toolCallLimits.enabled,
  tool_loop_detection_max_repeats: toolCallLimits.max_repeats,
  tool_loop_detection_ttl_seconds: toolCallLimits.ttl_seconds,
  tool_loop_detection_mode: toolCallLimits.mode,
});

const modelName = /^[^/]+\/.+$/;

const models = mapOf(modelDefinition, {}, (value, refuse) => {
  for (const name of Object.keys(value))
    if (!modelName.test(name)) refuse('must be <backend>/<model>', [name]);
});

/** Detection settings of a server; models and sessions can override them. */
export const detectionDefinition = block({
  enabled: prefault(boolean, true),
  stopped: prefault(boolean, false),
  stop_after_denials: prefault(stopAfterDenials, 3),
  on_budget: prefault(onBudget, 'stop'),
  preset: prefault(choice(presetNames), 'balanced'),
  ...defaults({
    ...shared,
    budget,
    per_tool: mapOf(toolContractDefinition),
    agents,
    prices: mapOf(price),
    semantic,
    overrides: block(defaults({ models })),
    session: block({
      idle_seconds: prefault(positive(), 3600),
      max_sessions: prefault(whole(1), 200_000),
    }),
    privacy: block({
      mask: prefault(list(pattern, MAX_MASKS), []),
      store_text: prefault(boolean, true),
    }),
  }),
});

/** Picks the detection settings out of a configuration that may contain more. */
export function detectionSettings(settings: DetectionSettings): DetectionSettings {
  const keys = Object.keys(detectionDefinition.shape) as (keyof DetectionSettings)[];
  return Object.fromEntries(keys.map((key) => [key, settings[key]])) as DetectionSettings;
}

/** Effective detection settings, defaults filled in. */
export type DetectionSettings = OutputOf<typeof detectionDefinition>;
/** Detection settings as a user writes them. */
export type DetectionInput = InputOf<typeof detectionDefinition>;
/** Detection settings of one model, which override those of the server. */
export type ModelSettings = OutputOf<typeof modelDefinition>;
export type ToolCallLoopSettings = OutputOf<typeof toolCallLoopDefinition>;
export type ToolContractSettings = OutputOf<typeof toolContractDefinition>;
export type AgentContractSettings = OutputOf<typeof agentContractDefinition>;
export type PriceSettings = OutputOf<typeof price>;
