import { z } from 'zod';

/**
 * The events a producer writes, version 1. Unknown fields are kept and unknown types are accepted (they are counted
 * and otherwise ignored), so that a newer producer never stops an older Loopwatch.
 */

const optionalText = z.string().nullish();

/** What names something and is told again in verdicts and summaries, which have to fit into their topics. */
export const MAX_NAME_UNITS = 1024;
const optionalName = z.string().max(MAX_NAME_UNITS).nullish();

/** The furthest from 1970 that a `Date` can be, in milliseconds: readers turn times into dates. */
const MAX_TIME = 8.64e15;

/** Epoch milliseconds or an RFC 3339 date-time with an offset. */
const timeSchema = z.union([z.number().min(-MAX_TIME).max(MAX_TIME), z.iso.datetime({ offset: true })]);

/** More than any request takes, and little enough that the sums of a session stay numbers that JSON can write. */
export const MAX_TOKENS = 1e12;
const MAX_USD = 1e9;
const tokenCount = z.number().nonnegative().max(MAX_TOKENS).nullish();

/** What every event may carry, whatever its type. `null` means absent, since some serialisers write it. */
const envelope = {
  v: z.literal(1).nullish().describe('Version of the event contract.'),
  id: z
    .string()
    .min(1)
    .max(MAX_NAME_UNITS)
    .nullish()
    .describe(
      'Default `#<index of the event in its session>`. The same id again in a session is the same event, also in a copy of its history.',
    ),
  sessionId: z
    .string()
    .min(1)
    .max(MAX_NAME_UNITS)
    .nullish()
    .describe("One agent conversation. Optional when it is the record's key."),
  time: timeSchema.nullish().describe("Event time: epoch ms or RFC 3339. Default: the record's timestamp."),
  promptId: optionalName.describe('A label; only `prompt_started` starts a prompt.'),
  model: optionalName,
  backend: optionalName,
  agent: optionalName,
  agentVersion: optionalName,
  tenant: optionalName,
  parentSessionId: optionalName.describe('Of a sub-agent or a fork: the session that started it.'),
  tags: z.record(z.string().max(MAX_NAME_UNITS), z.string().max(MAX_NAME_UNITS)).nullish(),
};

/** A setting's value as a control event carries it; it is checked against the settings' schema where it is applied. */
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
          'Who wrote it: a person, or the program around the agent. Default: by its words and its timing.',
        ),
    })
    .describe("A new user request; resets the prompt's state."),
  turn_started: z
    .looseObject({ ...envelope, type: z.literal('turn_started') })
    .describe('One model request begins.'),
  content: z
    .looseObject({ ...envelope, type: z.literal('content'), text: z.string() })
    .describe('A piece of streamed answer.'),
  thought: z
    .looseObject({ ...envelope, type: z.literal('thought'), text: z.string() })
    .describe('A piece of streamed reasoning.'),
  tool_call_request: z
    .looseObject({
      ...envelope,
      type: z.literal('tool_call_request'),
      callId: optionalName,
      name: z.string().max(MAX_NAME_UNITS),
      args: z
        .union([z.record(z.string(), z.unknown()), z.string()])
        .nullish()
        .describe('An object, or a string of JSON.'),
      argsHash: optionalName.describe('In place of `args`, where their text must not leave the producer.'),
    })
    .describe('The model asks for a tool.'),
  tool_result: z
    .looseObject({
      ...envelope,
      type: z.literal('tool_result'),
      callId: optionalName,
      result: z.unknown().optional(),
      resultHash: optionalName.describe('In place of `result`, where its text must not leave the producer.'),
      isError: z.boolean().nullish(),
    })
    .describe("A tool's answer."),
  turn_finished: z
    .looseObject({
      ...envelope,
      type: z.literal('turn_finished'),
      usage: z
        .looseObject({
          inputTokens: tokenCount.describe('With those that were cached or written to the cache.'),
          outputTokens: tokenCount.describe('With those of reasoning.'),
          cachedInputTokens: tokenCount,
          cacheWriteTokens: tokenCount,
          reasoningTokens: tokenCount,
        })
        .nullish()
        .describe('Of this turn alone, reported once.'),
      costUsd: z
        .number()
        .nonnegative()
        .max(MAX_USD)
        .nullish()
        .describe('What the turn cost by the producer; default: by the prices of its model.'),
      finishReason: optionalText,
    })
    .describe('One model request is over.'),
  retry: z
    .looseObject({ ...envelope, type: z.literal('retry') })
    .describe('The last turn is being streamed again: what it added is taken back.'),
  session_ended: z
    .looseObject({ ...envelope, type: z.literal('session_ended') })
    .describe('The session is over.'),
  control: z
    .looseObject({
      ...envelope,
      type: z.literal('control'),
      set: z
        .record(z.string(), settingValue)
        .nullish()
        .describe('Settings by dotted path, for this session.'),
      unset: z.array(z.string()).nullish().describe('Dotted paths that fall back to the wider setting.'),
    })
    .describe('Settings for this session; `set {enabled: false}` switches all detection off.'),
} as const;

/** The types this version knows; events of other types are accepted and ignored. */
export const eventTypes = Object.keys(eventSchemas) as readonly EventType[];
export type EventType = keyof typeof eventSchemas;

/** An event of a type that this version does not know. */
export const otherEventSchema = z.looseObject({ ...envelope, type: z.string() });

/** Any event: the known type's schema decides; an unknown type needs a sound envelope only. */
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
  otherEventSchema.refine((event) => !isEventType(event.type), { message: 'does not fit its type' }),
]);

export type KnownEvent = { [T in EventType]: z.infer<(typeof eventSchemas)[T]> }[EventType];
export type OtherEvent = z.infer<typeof otherEventSchema>;
export type AgentEvent = KnownEvent | OtherEvent;

/** Whether this version of the contract gives `type` a meaning. */
export function isEventType(type: string): type is EventType {
  return Object.hasOwn(eventSchemas, type);
}
