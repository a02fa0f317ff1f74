import * as z from 'zod/mini';
import { parsePattern } from '../pattern/parse-pattern.ts';
import { budgetScopes } from '../verdicts/budget.ts';
import { above, isInteger, maximum, maxLength, minimum, refine } from './checks.ts';

/**
 * The settings of detection, which the library takes. Defaults of the detectors come from the preset, so their keys
 * are optional here. They are written with `zod/mini`, because every page that detects loops loads them.
 */

/** A whole number from `min`, up to `max` if there is one. */
function whole(min: number, max?: number) {
  const schema = z.number().check(isInteger, minimum(min));
  return max === undefined ? schema : schema.check(maximum(max));
}

/** A number above 0, up to `max` if there is one. */
function positive(max?: number) {
  const schema = z.number().check(above(0));
  return max === undefined ? schema : schema.check(maximum(max));
}

/**
 * Values of one kind by name. `z.record` checks the names as well, and would make the library 0.6 kB larger.
 */
function mapOf<Value extends z.core.$ZodType>(value: Value) {
  return z.catchall(z.object({}), value);
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

const modeSchema = z.enum(modeSpellings).check((payload) => {
  payload.value = modeOf(payload.value);
}) as z.ZodMiniType<Mode, ModeSpelling>;

const unitInterval = z.number().check(minimum(0), maximum(1));

const similaritySchema = z.strictObject({
  algorithm: z.optional(z.enum(['levenshtein', 'jaccard'])),
  threshold: z.optional(unitInterval),
  normalize_whitespace: z.optional(z.boolean()),
  ignore_case: z.optional(z.boolean()),
});

const onOffSchema = z.optional(z.boolean());

const toolCallLimits = {
  enabled: onOffSchema,
  max_repeats: z.optional(whole(2, 1_000_000)),
  ttl_seconds: z.nullish(positive()),
  mode: z.optional(modeSchema),
  similarity_threshold: z.optional(unitInterval),
  similarity: z.optional(similaritySchema),
};

export const toolCallLoopSchema = z.strictObject({
  ...toolCallLimits,
  error_messages: z.optional(
    z.strictObject({
      block: z.optional(z.string()),
      warning: z.optional(z.string()),
    }),
  ),
  per_tool: z.optional(mapOf(z.strictObject(toolCallLimits))),
});

const textLoopSchema = z.strictObject({
  enabled: onOffSchema,
  window: z.optional(whole(8, 256)),
  min_repeats: z.optional(whole(2, 64)),
  max_distance: z.optional(whole(1, 1000)),
  mode: z.optional(modeSchema),
});

const toolCycleSchema = z.strictObject({
  enabled: onOffSchema,
  max_period: z.optional(whole(2, 8)),
  min_repeats: z.optional(whole(2, 100)),
  mode: z.optional(modeSchema),
});

const stagnationSchema = z.strictObject({
  enabled: onOffSchema,
  same_error: z.optional(whole(2, 60)),
  same_failure: z.optional(whole(2, 60)),
  same_result: z.optional(whole(2, 60)),
  same_answer: z.optional(whole(2, 60)),
  same_prompt: z.optional(whole(2, 60)),
  nothing_new: z.optional(whole(2, 60)),
  mode: z.optional(modeSchema),
});

const outageSchema = z.strictObject({
  enabled: onOffSchema,
  min_failures: z.optional(whole(2, 60)),
});

export const toolContractSchema = z.strictObject({
  identity: z.optional(z.array(z.string())),
  volatile: z.optional(z.array(z.string())),
  poller: z.optional(z.boolean()),
  mutating: z.optional(z.boolean()),
  gui: z.optional(z.boolean()),
});

const placeholders = new Set(['number', 'word', 'line', 'text']);

/** A text with placeholders. It starts with literal text, so that most texts are ruled out quickly. */
const textTemplateSchema = z.string().check(
  maxLength(500),
  refine(
    (template: string) => /^[^\s{][^{]{3}/.test(template),
    'must start with at least four literal characters, without leading white space, before its first placeholder',
  ),
  // Adjacent numbers could be split in too many ways.
  refine(
    (template: string) => !/\}[\d.]*\{/.test(template),
    'must have more than digits and dots between two placeholders, so that it is clear where the first one ends',
  ),
  refine(
    (template: string) =>
      [...template.matchAll(/\{(\w+)\}/g)].every(([, name = '']) => placeholders.has(name)),
    `has an unknown placeholder; known ones are ${[...placeholders].map((name) => `{${name}}`).join(', ')}`,
  ),
  refine(
    (template: string) => (template.slice(0, -1).match(/\{(?:word|line|text)\}/g) ?? []).length <= 1,
    'can contain only one of {word}, {line} and {text} before a last one at its end',
  ),
);

export const agentContractSchema = z.strictObject({
  names: z.optional(z.array(z.string())),
  tools: z.optional(mapOf(toolContractSchema)),
  result_noise: z.optional(z.array(textTemplateSchema)),
  not_run: z.optional(z.array(textTemplateSchema)),
  harness_prompts: z.optional(z.array(textTemplateSchema)),
});

/** Limits of sub-agents, and contracts of agents by their names, which therefore cannot be those of the limits. */
export interface AgentsSettings {
  readonly [name: string]: z.infer<typeof agentContractSchema> | number | undefined;
  readonly max_children?: number | undefined;
  readonly max_depth?: number | undefined;
}

const agentsSchema: z.ZodMiniType<AgentsSettings, AgentsSettings> = z.catchall(
  z.object({
    max_children: z.optional(whole(1, 10_000)),
    max_depth: z.optional(whole(1, 100)),
  }),
  agentContractSchema,
);

const turnsSchema = whole(1);
const historySchema = whole(1, 100);

const semanticSchema = z.strictObject({
  enabled: onOffSchema,
  mode: z.optional(modeSchema),
  after_turns: z.prefault(turnsSchema, 30),
  interval: z.prefault(turnsSchema, 10),
  history_turns: z.prefault(historySchema, 20),
  confidence: z.prefault(unitInterval, 0.9),
  second_opinion: z.prefault(z.boolean(), false),
  max_concurrent: z.prefault(whole(1), 4),
  per_minute: z.prefault(whole(1), 60),
  per_session: z.prefault(whole(1), 100),
  timeout_seconds: z.prefault(positive(3600), 60),
  max_characters: z.prefault(whole(2000, 1_000_000), 24_000),
});

/** The semantic settings that can differ by model. They have no defaults, so that omitted keys stay the server's. */
const modelSemanticSchema = z.strictObject({
  enabled: onOffSchema,
  mode: z.optional(modeSchema),
  after_turns: z.optional(turnsSchema),
  interval: z.optional(turnsSchema),
  history_turns: z.optional(historySchema),
  confidence: z.optional(unitInterval),
});

const toolCallLimitSchema = z.strictObject({
  enabled: onOffSchema,
  max_turns: z.optional(whole(1, 1_000_000)),
});

const turnRequestsSchema = z.strictObject({
  enabled: onOffSchema,
  max_turn_requests: z.optional(whole(1, 1_000_000)),
});

const budgetLimits = {
  enabled: onOffSchema,
  tokens: z.optional(z.number().check(isInteger, above(0))),
  usd: z.optional(positive(1_000_000_000)),
  calls: z.optional(z.number().check(isInteger, above(0))),
  minutes: z.optional(positive(1_000_000)),
};

const budgetSchema = z.strictObject({ ...budgetLimits, per: z.optional(z.enum(budgetScopes)) });

const usdSchema = z.number().check(minimum(0), maximum(1_000_000));

/** US dollars per million tokens of a model. */
const priceSchema = z.strictObject({
  input: usdSchema,
  output: usdSchema,
  cached_input: z.optional(usdSchema),
  cache_write: z.optional(usdSchema),
});

/** Each mask pattern is searched for in every text that is written. */
const MAX_MASKS = 1000;

const patternSchema = z.string().check(({ value: input, issues }) => {
  const parsed = parsePattern(input);
  const shown = input.length <= 80 ? input : `${input.slice(0, 79)}…`;
  if (!parsed.ok)
    issues.push({ code: 'custom', input, message: `${JSON.stringify(shown)} ${parsed.why}`, continue: true });
});

const stopAfterDenials = whole(1, 1_000_000);
const onBudget = z.enum(['stop', 'ask']);

/** Settings of a model. The last four are an older spelling of `tool_call_loop`, which takes precedence. */
export const modelSettingsSchema = z.strictObject({
  enabled: z.optional(z.boolean()),
  stop_after_denials: z.optional(stopAfterDenials),
  on_budget: z.optional(onBudget),
  preset: z.optional(z.enum(presetNames)),
  tool_call_loop: z.optional(toolCallLoopSchema),
  content_loop: z.optional(textLoopSchema),
  thought_loop: z.optional(textLoopSchema),
  tool_cycle: z.optional(toolCycleSchema),
  stagnation: z.optional(stagnationSchema),
  outage: z.optional(outageSchema),
  tool_call_limit: z.optional(toolCallLimitSchema),
  turn_requests: z.optional(turnRequestsSchema),
  budget: z.optional(z.strictObject(budgetLimits)),
  per_tool: z.optional(mapOf(toolContractSchema)),
  semantic: z.optional(modelSemanticSchema),
  tool_loop_detection_enabled: toolCallLimits.enabled,
  tool_loop_detection_max_repeats: toolCallLimits.max_repeats,
  tool_loop_detection_ttl_seconds: toolCallLimits.ttl_seconds,
  tool_loop_detection_mode: toolCallLimits.mode,
});

const modelName = /^[^/]+\/.+$/;

const modelsSchema = mapOf(modelSettingsSchema).check(({ value, issues }) => {
  for (const name of Object.keys(value))
    if (!modelName.test(name))
      issues.push({ code: 'custom', path: [name], input: name, message: 'must be <backend>/<model>' });
});

/** Detection settings of a server; models and sessions can override them. */
export const detectionSchema = z.strictObject({
  enabled: z.prefault(z.boolean(), true),
  stopped: z.prefault(z.boolean(), false),
  stop_after_denials: z.prefault(stopAfterDenials, 3),
  on_budget: z.prefault(onBudget, 'stop'),
  preset: z.prefault(z.enum(presetNames), 'balanced'),
  tool_call_loop: z.prefault(toolCallLoopSchema, {}),
  content_loop: z.prefault(textLoopSchema, {}),
  thought_loop: z.prefault(textLoopSchema, {}),
  tool_cycle: z.prefault(toolCycleSchema, {}),
  stagnation: z.prefault(stagnationSchema, {}),
  outage: z.prefault(outageSchema, {}),
  tool_call_limit: z.prefault(toolCallLimitSchema, {}),
  turn_requests: z.prefault(turnRequestsSchema, {}),
  budget: z.prefault(budgetSchema, {}),
  per_tool: z.prefault(mapOf(toolContractSchema), {}),
  agents: z.prefault(agentsSchema, {}),
  prices: z.prefault(mapOf(priceSchema), {}),
  semantic: z.prefault(semanticSchema, {}),
  overrides: z.prefault(
    z.strictObject({
      models: z.prefault(modelsSchema, {}),
    }),
    {},
  ),
  session: z.prefault(
    z.strictObject({
      idle_seconds: z.prefault(positive(), 3600),
      max_sessions: z.prefault(whole(1), 200_000),
    }),
    {},
  ),
  privacy: z.prefault(
    z.strictObject({
      mask: z.prefault(z.array(patternSchema).check(maxLength(MAX_MASKS)), []),
      store_text: z.prefault(z.boolean(), true),
    }),
    {},
  ),
});

/** Picks the detection settings out of a configuration that may contain more. */
export function detectionSettings(settings: DetectionSettings): DetectionSettings {
  const keys = Object.keys(detectionSchema.shape) as (keyof DetectionSettings)[];
  return Object.fromEntries(keys.map((key) => [key, settings[key]])) as DetectionSettings;
}

/** Effective detection settings, defaults filled in. */
export type DetectionSettings = z.infer<typeof detectionSchema>;
/** Detection settings as a user writes them. */
export type DetectionInput = z.input<typeof detectionSchema>;
/** Detection settings of one model, which override those of the server. */
export type ModelSettings = z.infer<typeof modelSettingsSchema>;
export type ToolCallLoopSettings = z.infer<typeof toolCallLoopSchema>;
export type ToolContractSettings = z.infer<typeof toolContractSchema>;
export type AgentContractSettings = z.infer<typeof agentContractSchema>;
export type PriceSettings = z.infer<typeof priceSchema>;
