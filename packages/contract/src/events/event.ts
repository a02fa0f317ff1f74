import * as z from 'zod';
import { exceedsBytes, MAX_NAME_BYTES, storableText } from '../lib/names.ts';
import { type EventType, isEventType } from './event-types.ts';

/*
 * Events, version 1. Unknown fields are kept, and unknown types are accepted and counted but otherwise ignored, so that
 * an older Loopwatch can read the events of a newer producer.
 */

const optionalText = z.string().nullish();

/** A name or an id: what no database can store is replaced, and the limit counts bytes. */
export const nameSchema = z
  .string()
  .overwrite(storableText)
  .max(MAX_NAME_BYTES)
  .refine((name) => !exceedsBytes(name, MAX_NAME_BYTES), {
    message: `must be at most ${String(MAX_NAME_BYTES)} bytes long in UTF-8`,
  });
const optionalName = nameSchema.nullish();

/** Range of `Date` in milliseconds: readers convert times to dates. */
export const MAX_TIME = 8.64e15;

const NANOS_PER_MS = 1e6;

/** Epoch milliseconds, or another unit that is told by its magnitude, or an RFC 3339 date-time with an offset. */
const timeSchema = z.union([
  z
    .number()
    .min(-MAX_TIME)
    .max(MAX_TIME * NANOS_PER_MS),
  z.iso.datetime({ offset: true }),
]);

/** More than any request needs, but small enough that the totals of a session stay exact. */
export const MAX_TOKENS = 1e12;
const MAX_USD = 1e9;

/** Nesting depth of an event: 10,000 levels of arguments, plus the event around them. */
export const MAX_LEVELS = 10_100;
/** Members of all arrays and objects in an event. */
export const MAX_PARTS = 100_000;
/** UTF-16 code units of one `content` or `thought` event. */
export const MAX_TEXT_UNITS = 5 * 1024 * 1024;
const tokenCount = z.number().nonnegative().max(MAX_TOKENS).nullish();

/** Fields of every event. `null` means absent, because some serialisers write it. */
const envelope = {
  v: z.literal(1).nullish().describe('Version of the event contract.'),
  id: nameSchema
    .min(1)
    .nullish()
    .describe(
      'Default: `#<index of the event in its session>`. Events of a session with the same id are duplicates, also across copies of its history.',
    ),
  sessionId: nameSchema
    .min(1)
    .nullish()
    .describe("One agent conversation. Optional if the record's key is the session id."),
  time: timeSchema
    .nullish()
    .describe(
      "Event time: epoch ms or RFC 3339; epoch s, µs and ns are told by their magnitude. Default: the record's timestamp.",
    ),
  promptId: optionalName.describe('A label; only `prompt_started` starts a prompt.'),
  model: optionalName,
  backend: optionalName,
  agent: optionalName,
  agentVersion: optionalName,
  tenant: optionalName,
  parentSessionId: optionalName.describe('The session that started this sub-agent or fork.'),
  tags: z.record(nameSchema, nameSchema).nullish(),
};

/** A setting's value; it is checked against the settings schema when it is applied. */
const settingValue = z.unknown();

export const eventSchemas = {
  prompt_started: z
    .looseObject({
      ...envelope,
      type: z.literal('prompt_started'),
      text: optionalText,
      origin: z
        .enum(['user', 'harness'])
        .nullish()
        .describe(
          'Who wrote it: a person, or the program that runs the agent. Default: inferred from its text and timing.',
        ),
    })
    .describe('A new user request; resets the state of the prompt.'),
  turn_started: z
    .looseObject({ ...envelope, type: z.literal('turn_started') })
    .describe('A model request starts.'),
  content: z
    .looseObject({ ...envelope, type: z.literal('content'), text: z.string() })
    .describe('A chunk of the streamed response.'),
  thought: z
    .looseObject({ ...envelope, type: z.literal('thought'), text: z.string() })
    .describe('A chunk of the streamed reasoning.'),
  tool_call_request: z
    .looseObject({
      ...envelope,
      type: z.literal('tool_call_request'),
      callId: optionalName,
      name: nameSchema,
      args: z
        .union([z.record(z.string(), z.unknown()), z.string()])
        .nullish()
        .describe('An object, or JSON text.'),
      argsHash: optionalName.describe('Replaces `args` if their text must not leave the producer.'),
    })
    .describe('The model calls a tool.'),
  tool_result: z
    .looseObject({
      ...envelope,
      type: z.literal('tool_result'),
      callId: optionalName,
      result: z.unknown().optional(),
      resultHash: optionalName.describe('Replaces `result` if its text must not leave the producer.'),
      isError: z.boolean().nullish(),
      denied: z
        .boolean()
        .nullish()
        .describe(
          'The call was refused, not run: it counts as another repetition of a loop that it continues.',
        ),
    })
    .describe("A tool's result."),
  turn_finished: z
    .looseObject({
      ...envelope,
      type: z.literal('turn_finished'),
      usage: z
        .looseObject({
          inputTokens: tokenCount.describe('Including tokens read from and written to the cache.'),
          outputTokens: tokenCount.describe('Including reasoning tokens.'),
          cachedInputTokens: tokenCount,
          cacheWriteTokens: tokenCount,
          hourCacheWriteTokens: tokenCount.describe(
            'Those of `cacheWriteTokens` that stay in the cache for an hour, at 1.6 times the price.',
          ),
          reasoningTokens: tokenCount,
        })
        .nullish()
        .describe('Usage of this turn alone; must be reported once.'),
      costUsd: z
        .number()
        .nonnegative()
        .max(MAX_USD)
        .nullish()
        .describe(
          'Cost of the turn according to the producer. Default: computed from the prices of its model.',
        ),
      finishReason: optionalText,
    })
    .describe('A model request ends.'),
  retry: z
    .looseObject({ ...envelope, type: z.literal('retry') })
    .describe('The last turn is retried: its events so far are discarded.'),
  session_ended: z
    .looseObject({ ...envelope, type: z.literal('session_ended') })
    .describe('The session ends.'),
  control: z
    .looseObject({
      ...envelope,
      type: z.literal('control'),
      set: z.record(z.string(), settingValue).nullish().describe('Settings of this session, by dotted path.'),
      unset: z.array(z.string()).nullish().describe('Dotted paths that fall back to the wider scope.'),
    })
    .describe('Settings for this session; `set {enabled: false}` switches all detection off.'),
} as const satisfies Record<EventType, z.ZodType>;

/** An event of an unknown type. */
export const otherEventSchema = z.looseObject({ ...envelope, type: z.string() });

/** Any event. Events of unknown types only need a valid envelope. */
export const eventSchema = z.union([
  z.discriminatedUnion('type', [
    eventSchemas.prompt_started,
    eventSchemas.turn_started,
    eventSchemas.content,
    eventSchemas.thought,
    eventSchemas.tool_call_request,
    eventSchemas.tool_result,
    eventSchemas.turn_finished,
    eventSchemas.retry,
    eventSchemas.session_ended,
    eventSchemas.control,
  ]),
  otherEventSchema.refine((event) => !isEventType(event.type), {
    message: 'does not match the schema of its type',
  }),
]);

export type KnownEvent = { [T in EventType]: z.infer<(typeof eventSchemas)[T]> }[EventType];
export type OtherEvent = z.infer<typeof otherEventSchema>;
export type AgentEvent = KnownEvent | OtherEvent;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;

/**
 * Checks whether an event is too complex. An event is processed synchronously, so a large one would block others.
 *
 * @param json need not be valid
 * @returns the limit it exceeds, as a message, or undefined
 */
export function exceededLimit(json: string, maxParts = MAX_PARTS): string | undefined {
  // A shorter text cannot exceed the depth: each level takes two brackets.
  if (json.length < 2 * MAX_LEVELS) return undefined;
  let levels = 0;
  let parts = 0;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(json, at + 1);
    } else if (code === COMMA) {
      parts += 1;
      if (parts > maxParts) return `it has more than ${maxParts.toLocaleString('en-US')} values`;
    } else if (isBracket(code, 0x5b, 0x7b)) {
      levels += 1;
      if (levels > MAX_LEVELS)
        return `it is nested more than ${MAX_LEVELS.toLocaleString('en-US')} levels deep`;
    } else if (isBracket(code, 0x5d, 0x7d)) {
      levels -= 1;
    }
  }
  return undefined;
}

function isBracket(code: number, square: number, curly: number): boolean {
  return code === square || code === curly;
}

/** Index of the closing quote: the next one after an even number of backslashes. */
function endOfString(json: string, start: number): number {
  for (let at = json.indexOf('"', start); at !== -1; at = json.indexOf('"', at + 1)) {
    let escapes = 0;
    while (at - 1 - escapes >= start && json.charCodeAt(at - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return at;
  }
  return json.length;
}
