import { z } from 'zod';
import { topicSettingsSchema } from './topics.ts';

/**
 * Everything that can be configured, as one schema: the YAML file, the environment, flags, control events and the API
 * are all checked against it. Keys are spelled as they are written in the file. Defaults of the detectors come from
 * the preset, so their keys are optional here.
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

/** What happens when a loop is found; `break` and `chance…` are older spellings. */
const modeSpellings = ['warn', 'block', 'chance_then_block', 'break', 'chance', 'chance_then_break'] as const;
export type Mode = 'warn' | 'block' | 'chance_then_block';

const modeSchema = z.enum(modeSpellings).transform((mode): Mode => {
  if (mode === 'break') return 'block';
  if (mode === 'chance' || mode === 'chance_then_break') return 'chance_then_block';
  return mode;
});

const modeText = 'What a loop leads to. break is block; chance and chance_then_break are chance_then_block.';

const unitInterval = z.number().min(0).max(1);

const similaritySchema = z.strictObject({
  algorithm: z
    .enum(['levenshtein', 'jaccard'])
    .optional()
    .describe('levenshtein: 1 - distance / longer length. jaccard: over word tokens.'),
  threshold: unitInterval.optional().describe('Wins over similarity_threshold.'),
  normalize_whitespace: z.boolean().optional().describe('Runs of white space count as one space.'),
  ignore_case: z.boolean().optional().describe('Upper and lower case are the same.'),
});

const onOffSchema = z.boolean().optional().describe('false: this detector is skipped.');

const toolCallLimits = {
  enabled: onOffSchema,
  max_repeats: z.int().min(2).max(1_000_000).optional().describe('Calls until the loop is called one.'),
  ttl_seconds: z
    .number()
    .positive()
    .nullable()
    .optional()
    .describe('Only calls this recent count; null: no limit.'),
  mode: modeSchema.optional().describe(modeText),
  similarity_threshold: unitInterval.optional().describe('Selects similar matching.'),
  similarity: similaritySchema.optional().describe('Selects similar matching.'),
};

export const toolCallLoopSchema = z
  .strictObject({
    ...toolCallLimits,
    error_messages: z
      .strictObject({
        block: z.string().optional().describe('Sent when a call is blocked.'),
        warning: z.string().optional().describe('Sent with a warning.'),
      })
      .optional()
      .describe("Own texts in place of Loopwatch's."),
    per_tool: z.record(z.string(), z.strictObject(toolCallLimits)).optional().describe('By tool name.'),
  })
  .describe('tool-repeat: the same call again and again.');

export const textLoopSchema = z.strictObject({
  enabled: onOffSchema,
  window: z.int().min(8).max(256).optional().describe('Length of the compared piece, in UTF-16 code units.'),
  min_repeats: z
    .int()
    .min(2)
    .max(64)
    .optional()
    .describe('Occurrences of the same piece until it is a loop.'),
  max_distance: z
    .int()
    .min(1)
    .max(1000)
    .optional()
    .describe('Mean distance of those occurrences, at most, in units.'),
  mode: modeSchema.optional().describe(modeText),
});

export const toolCycleSchema = z
  .strictObject({
    enabled: onOffSchema,
    max_period: z.int().min(2).max(8).optional().describe('Steps of the longest cycle that is looked for.'),
    min_repeats: z
      .int()
      .min(2)
      .max(100)
      .optional()
      .describe('Times the cycle is gone through until it is a loop.'),
    mode: modeSchema.optional().describe(modeText),
  })
  .describe('tool-cycle: the same sequence of calls again and again.');

export const stagnationSchema = z
  .strictObject({
    enabled: onOffSchema,
    same_error: z
      .int()
      .min(2)
      .max(60)
      .optional()
      .describe('Calls of one tool in a row that fail with the same error.'),
    same_failure: z
      .int()
      .min(2)
      .max(60)
      .optional()
      .describe('Times the same call fails the same way, with other calls in between that change nothing.'),
    nothing_new: z
      .int()
      .min(2)
      .max(60)
      .optional()
      .describe('Steps in a row whose calls and results were known.'),
    mode: modeSchema.optional().describe(modeText),
  })
  .describe('stagnation: calls go on, but nothing comes of them.');

export const outageSchema = z
  .strictObject({
    enabled: onOffSchema,
    min_failures: z
      .int()
      .min(2)
      .max(60)
      .optional()
      .describe('Time-outs, rate limits and server errors in a row.'),
  })
  .describe('outage: what the tools depend on is down.');

export const toolContractSchema = z.strictObject({
  identity: z
    .array(z.string())
    .optional()
    .describe('The arguments that make a call what it is. Default: all.'),
  volatile: z.array(z.string()).optional().describe('Arguments that never make a difference.'),
  poller: z.boolean().optional().describe('Asking again is its purpose. Default: by its name.'),
  mutating: z.boolean().optional().describe('It changes the world. Default: by its name.'),
});

export const semanticSchema = z.strictObject({
  enabled: onOffSchema,
  mode: modeSchema.optional().describe(modeText),
  after_turns: z.int().min(1).default(30).describe('The first check comes with this turn of a prompt.'),
  interval: z.int().min(1).default(10).describe('Turns between two checks until a model has answered.'),
  history_turns: z.int().min(1).max(100).default(20).describe('Latest turns that the model is shown.'),
  confidence: unitInterval.default(0.9).describe('A confidence above this is a loop.'),
  second_opinion: z.boolean().default(false).describe('llm.second_model has to confirm a loop.'),
  max_concurrent: z.int().min(1).default(4).describe('Calls of a model at the same time, in one process.'),
  per_minute: z.int().min(1).default(60).describe('Calls of a model in a minute, in one process.'),
  per_session: z.int().min(1).default(100).describe('Calls of a model for one session.'),
  timeout_seconds: z.number().positive().max(3600).default(60).describe('For one call of a model.'),
  max_characters: z
    .int()
    .min(2000)
    .max(1_000_000)
    .default(24_000)
    .describe('What the model is shown of a session, at most.'),
});

export const toolCallLimitSchema = z
  .strictObject({
    enabled: onOffSchema,
    max_turns: z
      .int()
      .min(1)
      .max(1_000_000)
      .optional()
      .describe('Turns with tool calls in one prompt. Default: 3.'),
  })
  .describe('tool-limit: turns with tool calls; on as soon as a key is set.');

export const turnRequestsSchema = z
  .strictObject({
    enabled: onOffSchema,
    max_turn_requests: z
      .int()
      .min(1)
      .max(1_000_000)
      .optional()
      .describe('Model requests in one prompt. Default: 10; 5 is conservative, 20 permissive.'),
  })
  .describe('turn-limit: model requests; on as soon as a key is set.');

function isRegularExpression(text: string): boolean {
  try {
    return new RegExp(text) instanceof RegExp;
  } catch {
    return false;
  }
}

/** What a model may be told; the last four are an older spelling of `tool_call_loop`, which wins over them. */
export const modelSettingsSchema = z.strictObject({
  enabled: z.boolean().optional().describe('false: every detector is skipped.'),
  preset: z.enum(presetNames).optional(),
  tool_call_loop: toolCallLoopSchema.optional(),
  content_loop: textLoopSchema.optional(),
  thought_loop: textLoopSchema.optional(),
  tool_cycle: toolCycleSchema.optional(),
  stagnation: stagnationSchema.optional(),
  outage: outageSchema.optional(),
  tool_call_limit: toolCallLimitSchema.optional(),
  turn_requests: turnRequestsSchema.optional(),
  per_tool: z.record(z.string(), toolContractSchema).optional(),
  tool_loop_detection_enabled: toolCallLimits.enabled,
  tool_loop_detection_max_repeats: toolCallLimits.max_repeats,
  tool_loop_detection_ttl_seconds: toolCallLimits.ttl_seconds,
  tool_loop_detection_mode: toolCallLimits.mode,
});

/** What detection can be told per server, model or session. */
export const detectionSchema = z.strictObject({
  enabled: z.boolean().default(true).describe('false: every detector is skipped.'),
  preset: z.enum(presetNames).default('balanced').describe('Where the numbers that are not set come from.'),
  tool_call_loop: toolCallLoopSchema.prefault({}),
  content_loop: textLoopSchema.prefault({}).describe('content-repeat: the answer repeats a text.'),
  thought_loop: textLoopSchema.prefault({}).describe('thought-repeat: the reasoning repeats a text.'),
  tool_cycle: toolCycleSchema.prefault({}),
  stagnation: stagnationSchema.prefault({}),
  outage: outageSchema.prefault({}),
  tool_call_limit: toolCallLimitSchema.prefault({}),
  turn_requests: turnRequestsSchema.prefault({}),
  per_tool: z
    .record(z.string(), toolContractSchema)
    .default({})
    .describe('What is declared of tools, by name.'),
  semantic: semanticSchema.prefault({}).describe('semantic: a model judges the latest turns.'),
  overrides: z
    .strictObject({
      models: z
        .record(z.string().regex(/^[^/]+\/.+$/, 'must be <backend>/<model>'), modelSettingsSchema)
        .default({})
        .describe('Detection settings by backend/model, above those of the server.'),
    })
    .prefault({}),
  session: z
    .strictObject({
      idle_seconds: z
        .number()
        .positive()
        .default(3600)
        .describe('A longer pause and the session starts afresh.'),
      max_sessions: z.int().min(1).default(200_000).describe('Sessions kept in memory in one process.'),
    })
    .prefault({}),
  privacy: z
    .strictObject({
      mask: z
        .array(z.string().refine(isRegularExpression, 'is no regular expression'))
        .default([])
        .describe('Further regular expressions whose matches are masked.'),
      store_text: z.boolean().default(true).describe('false: verdicts carry no arguments and no text.'),
    })
    .prefault({}),
});

/** The settings of detection alone, out of a configuration that may hold more. */
export function detectionSettings(settings: DetectionSettings): DetectionSettings {
  const keys = Object.keys(detectionSchema.shape) as (keyof DetectionSettings)[];
  return Object.fromEntries(keys.map((key) => [key, settings[key]])) as DetectionSettings;
}

export const settingsSchema = detectionSchema.extend({
  kafka: z
    .strictObject({
      brokers: z.array(z.string().min(1)).default([]).describe('host:port of the bootstrap brokers.'),
      client_id: z.string().min(1).default('loopwatch').describe("Named in the brokers' logs."),
      group: z.string().min(1).default('loopwatch-worker').describe('Consumer group of the workers.'),
      partitions: z.int().min(1).default(6).describe('Of topics that `loopwatch topics` creates.'),
      replication_factor: z
        .int()
        .min(1)
        .optional()
        .describe('Default: 3, or the number of brokers if fewer.'),
      partitions_at_once: z
        .int()
        .min(1)
        .default(4)
        .describe('Partitions that one worker processes side by side.'),
      topics: topicSettingsSchema.prefault({}),
    })
    .prefault({}),
  llm: z
    .strictObject({
      base_url: z
        .url({ protocol: /^https?$/ })
        .optional()
        .describe('Of an API that speaks like OpenAI’s, up to and with /v1. Default: OpenAI’s own.'),
      api_key: z
        .string()
        .min(1)
        .optional()
        .describe('Sent with each call. Not needed by most local servers.'),
      model: z.string().min(1).optional().describe('The model that judges; none: the semantic layer is off.'),
      second_model: z.string().min(1).optional().describe('A stronger model that confirms a loop.'),
    })
    .prefault({}),
  worker: z
    .strictObject({
      host: z.string().default('0.0.0.0').describe('Address to listen on.'),
      port: z.int().min(0).max(65_535).default(4601).describe('Health and metrics.'),
    })
    .prefault({}),
  server: z
    .strictObject({
      host: z.string().default('127.0.0.1').describe('0.0.0.0 to be reached from other machines.'),
      port: z.int().min(0).max(65_535).default(4600).describe('Dashboard and API.'),
    })
    .prefault({}),
  storage: z
    .strictObject({
      data_dir: z.string().min(1).default('.loopwatch').describe('Folder of the embedded log and database.'),
    })
    .prefault({}),
  log: z
    .strictObject({
      level: z
        .enum(['debug', 'info', 'warn', 'error', 'silent'])
        .default('info')
        .describe('Least important entries that are written.'),
      format: z.enum(['auto', 'json', 'pretty']).default('auto').describe('auto: pretty on a terminal.'),
    })
    .prefault({}),
});

/** Effective detection settings, defaults filled in. */
export type DetectionSettings = z.infer<typeof detectionSchema>;
/** Detection settings as somebody writes them. */
export type DetectionInput = z.input<typeof detectionSchema>;
/** Detection settings of one model, over those of the server. */
export type ModelSettings = z.infer<typeof modelSettingsSchema>;
export type ToolCallLoopSettings = z.infer<typeof toolCallLoopSchema>;
export type ToolContractSettings = z.infer<typeof toolContractSchema>;
export type SemanticSettings = z.infer<typeof semanticSchema>;
export type TextLoopSettings = z.infer<typeof textLoopSchema>;
/** The whole effective configuration. */
export type Settings = z.infer<typeof settingsSchema>;
