import { z } from 'zod';
import { parsePattern } from '../pattern/parse-pattern.ts';
import { budgetScopes } from '../verdicts/budget.ts';

/**
 * The settings of detection, which the library takes. Defaults of the detectors come from the preset, so their keys
 * are optional here.
 */

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
export type Mode = 'warn' | 'block' | 'chance_then_block';

const modeSchema = z.enum(modeSpellings).transform((mode): Mode => {
  if (mode === 'break') return 'block';
  if (mode === 'chance' || mode === 'chance_then_break') return 'chance_then_block';
  return mode;
});

const unitInterval = z.number().min(0).max(1);

const similaritySchema = z.strictObject({
  algorithm: z.enum(['levenshtein', 'jaccard']).optional(),
  threshold: unitInterval.optional(),
  normalize_whitespace: z.boolean().optional(),
  ignore_case: z.boolean().optional(),
});

const onOffSchema = z.boolean().optional();

const toolCallLimits = {
  enabled: onOffSchema,
  max_repeats: z.int().min(2).max(1_000_000).optional(),
  ttl_seconds: z.number().positive().nullable().optional(),
  mode: modeSchema.optional(),
  similarity_threshold: unitInterval.optional(),
  similarity: similaritySchema.optional(),
};

export const toolCallLoopSchema = z.strictObject({
  ...toolCallLimits,
  error_messages: z
    .strictObject({
      block: z.string().optional(),
      warning: z.string().optional(),
    })
    .optional(),
  per_tool: z.record(z.string(), z.strictObject(toolCallLimits)).optional(),
});

const textLoopSchema = z.strictObject({
  enabled: onOffSchema,
  window: z.int().min(8).max(256).optional(),
  min_repeats: z.int().min(2).max(64).optional(),
  max_distance: z.int().min(1).max(1000).optional(),
  mode: modeSchema.optional(),
});

const toolCycleSchema = z.strictObject({
  enabled: onOffSchema,
  max_period: z.int().min(2).max(8).optional(),
  min_repeats: z.int().min(2).max(100).optional(),
  mode: modeSchema.optional(),
});

const stagnationSchema = z.strictObject({
  enabled: onOffSchema,
  same_error: z.int().min(2).max(60).optional(),
  same_failure: z.int().min(2).max(60).optional(),
  same_result: z.int().min(2).max(60).optional(),
  same_answer: z.int().min(2).max(60).optional(),
  same_prompt: z.int().min(2).max(60).optional(),
  nothing_new: z.int().min(2).max(60).optional(),
  mode: modeSchema.optional(),
});

const outageSchema = z.strictObject({
  enabled: onOffSchema,
  min_failures: z.int().min(2).max(60).optional(),
});

export const toolContractSchema = z.strictObject({
  identity: z.array(z.string()).optional(),
  volatile: z.array(z.string()).optional(),
  poller: z.boolean().optional(),
  mutating: z.boolean().optional(),
  gui: z.boolean().optional(),
});

const placeholders = new Set(['number', 'word', 'line', 'text']);

/** A text with placeholders. It starts with literal text, so that most texts are ruled out quickly. */
const textTemplateSchema = z
  .string()
  .max(500)
  .regex(
    /^[^\s{][^{]{3}/,
    'must start with at least four literal characters, without leading white space, before its first placeholder',
  )
  // Adjacent numbers could be split in too many ways.
  .refine(
    (template) => !/\}[\d.]*\{/.test(template),
    'must have more than digits and dots between two placeholders, so that it is clear where the first one ends',
  )
  .refine(
    (template) => [...template.matchAll(/\{(\w+)\}/g)].every(([, name = '']) => placeholders.has(name)),
    `has an unknown placeholder; known ones are ${[...placeholders].map((name) => `{${name}}`).join(', ')}`,
  )
  .refine(
    (template) => (template.slice(0, -1).match(/\{(?:word|line|text)\}/g) ?? []).length <= 1,
    'can contain only one of {word}, {line} and {text} before a last one at its end',
  );

export const agentContractSchema = z.strictObject({
  names: z.array(z.string()).optional(),
  tools: z.record(z.string(), toolContractSchema).optional(),
  result_noise: z.array(textTemplateSchema).optional(),
  not_run: z.array(textTemplateSchema).optional(),
  harness_prompts: z.array(textTemplateSchema).optional(),
});

/** Limits of sub-agents, and contracts of agents by their names, which therefore cannot be those of the limits. */
export interface AgentsSettings {
  readonly [name: string]: z.infer<typeof agentContractSchema> | number | undefined;
  readonly max_children?: number | undefined;
  readonly max_depth?: number | undefined;
}

const agentsSchema: z.ZodType<AgentsSettings, AgentsSettings> = z
  .object({
    max_children: z.int().min(1).max(10_000).optional(),
    max_depth: z.int().min(1).max(100).optional(),
  })
  .catchall(agentContractSchema);

const semanticSchema = z.strictObject({
  enabled: onOffSchema,
  mode: modeSchema.optional(),
  after_turns: z.int().min(1).default(30),
  interval: z.int().min(1).default(10),
  history_turns: z.int().min(1).max(100).default(20),
  confidence: unitInterval.default(0.9),
  second_opinion: z.boolean().default(false),
  max_concurrent: z.int().min(1).default(4),
  per_minute: z.int().min(1).default(60),
  per_session: z.int().min(1).default(100),
  timeout_seconds: z.number().positive().max(3600).default(60),
  max_characters: z.int().min(2000).max(1_000_000).default(24_000),
});

const { shape: semantic } = semanticSchema;

/** The semantic settings that can differ by model. They have no defaults, so that omitted keys stay the server's. */
const modelSemanticSchema = z.strictObject({
  enabled: semantic.enabled,
  mode: semantic.mode,
  after_turns: semantic.after_turns.unwrap().optional(),
  interval: semantic.interval.unwrap().optional(),
  history_turns: semantic.history_turns.unwrap().optional(),
  confidence: semantic.confidence.unwrap().optional(),
});

const toolCallLimitSchema = z.strictObject({
  enabled: onOffSchema,
  max_turns: z.int().min(1).max(1_000_000).optional(),
});

const turnRequestsSchema = z.strictObject({
  enabled: onOffSchema,
  max_turn_requests: z.int().min(1).max(1_000_000).optional(),
});

const budgetLimits = {
  enabled: onOffSchema,
  tokens: z.int().positive().optional(),
  usd: z.number().positive().max(1_000_000_000).optional(),
  calls: z.int().positive().optional(),
  minutes: z.number().positive().max(1_000_000).optional(),
};

const budgetSchema = z.strictObject({ ...budgetLimits, per: z.enum(budgetScopes).optional() });

const usdSchema = z.number().nonnegative().max(1_000_000);

/** US dollars per million tokens of a model. */
const priceSchema = z.strictObject({
  input: usdSchema,
  output: usdSchema,
  cached_input: usdSchema.optional(),
  cache_write: usdSchema.optional(),
});

/** Each mask pattern is searched for in every text that is written. */
const MAX_MASKS = 1000;

const patternSchema = z.string().superRefine((pattern, context) => {
  const parsed = parsePattern(pattern);
  if (parsed.ok) return;
  const shown = pattern.length <= 80 ? pattern : `${pattern.slice(0, 79)}…`;
  context.addIssue({ code: 'custom', message: `${JSON.stringify(shown)} ${parsed.why}` });
});

const stopAfterDenials = z.int().min(1).max(1_000_000);
const onBudget = z.enum(['stop', 'ask']);

/** Settings of a model. The last four are an older spelling of `tool_call_loop`, which takes precedence. */
export const modelSettingsSchema = z.strictObject({
  enabled: z.boolean().optional(),
  stop_after_denials: stopAfterDenials.optional(),
  on_budget: onBudget.optional(),
  preset: z.enum(presetNames).optional(),
  tool_call_loop: toolCallLoopSchema.optional(),
  content_loop: textLoopSchema.optional(),
  thought_loop: textLoopSchema.optional(),
  tool_cycle: toolCycleSchema.optional(),
  stagnation: stagnationSchema.optional(),
  outage: outageSchema.optional(),
  tool_call_limit: toolCallLimitSchema.optional(),
  turn_requests: turnRequestsSchema.optional(),
  budget: z.strictObject(budgetLimits).optional(),
  per_tool: z.record(z.string(), toolContractSchema).optional(),
  semantic: modelSemanticSchema.optional(),
  tool_loop_detection_enabled: toolCallLimits.enabled,
  tool_loop_detection_max_repeats: toolCallLimits.max_repeats,
  tool_loop_detection_ttl_seconds: toolCallLimits.ttl_seconds,
  tool_loop_detection_mode: toolCallLimits.mode,
});

/** Detection settings of a server; models and sessions can override them. */
export const detectionSchema = z.strictObject({
  enabled: z.boolean().default(true),
  stopped: z.boolean().default(false),
  stop_after_denials: stopAfterDenials.default(3),
  on_budget: onBudget.default('stop'),
  preset: z.enum(presetNames).default('balanced'),
  tool_call_loop: toolCallLoopSchema.prefault({}),
  content_loop: textLoopSchema.prefault({}),
  thought_loop: textLoopSchema.prefault({}),
  tool_cycle: toolCycleSchema.prefault({}),
  stagnation: stagnationSchema.prefault({}),
  outage: outageSchema.prefault({}),
  tool_call_limit: toolCallLimitSchema.prefault({}),
  turn_requests: turnRequestsSchema.prefault({}),
  budget: budgetSchema.prefault({}),
  per_tool: z.record(z.string(), toolContractSchema).default({}),
  agents: agentsSchema.prefault({}),
  prices: z.record(z.string(), priceSchema).default({}),
  semantic: semanticSchema.prefault({}),
  overrides: z
    .strictObject({
      models: z
        .record(z.string().regex(/^[^/]+\/.+$/, 'must be <backend>/<model>'), modelSettingsSchema)
        .default({}),
    })
    .prefault({}),
  session: z
    .strictObject({
      idle_seconds: z.number().positive().default(3600),
      max_sessions: z.int().min(1).default(200_000),
    })
    .prefault({}),
  privacy: z
    .strictObject({
      mask: z.array(patternSchema).max(MAX_MASKS).default([]),
      store_text: z.boolean().default(true),
    })
    .prefault({}),
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
