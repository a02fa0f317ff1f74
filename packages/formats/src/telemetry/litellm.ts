import { Conversations } from '../record/conversation.ts';
import { type Format, type FormatReader, ignored, type Reading, reading } from '../record/format.ts';
import {
  type JsonObject,
  nameOf,
  numberOf,
  objectOf,
  textOf,
  timeOf,
  tokensOf,
  unwrapped,
} from '../record/json.ts';
import type { Message, Usage } from '../record/message.ts';
import { messageListIn } from '../wire/exchanges.ts';
import { answerIn } from '../wire/logged-answers.ts';
import { messagesFrom } from '../wire/messages.ts';
import { usageOf as usageOfApi } from '../wire/usage.ts';

/**
 * LiteLLM's StandardLoggingPayload, as written by its callbacks, and the rows of its table `LiteLLM_SpendLogs`: one record per
 * request, with the whole history and the response, in the order in which they are flushed.
 */
export const litellm: Format = {
  name: 'litellm',
  title: 'a LiteLLM log',
  keys: [
    'call_type',
    'response_cost',
    'model_group',
    'trace_id',
    'startTime',
    'endTime',
    'messages',
    'response',
  ],
  recognizes: (record) =>
    typeof record['call_type'] === 'string' &&
    ('response_cost' in record || 'model_group' in record || 'startTime' in record) &&
    !('type' in record),
  createReader: (session) => new LitellmReader(session),
};

class LitellmReader implements FormatReader {
  readonly #session: string | undefined;
  readonly #conversations = new Conversations({ hasStableArgs: false });

  constructor(session: string | undefined) {
    this.#session = session;
  }

  read(record: JsonObject): Reading {
    const callType = nameOf(record['call_type']);
    const sessionId = sessionOf(record) ?? this.#session;
    if (sessionId === undefined) return ignored(`${callType} without a session`);
    // The rows of the proxy's database have JSON as text, and the messages only in the request.
    const messages = unwrapped(record['messages']);
    const prompt =
      typeof messages === 'string'
        ? [{ role: 'user', content: messages }]
        : (messageListIn({ ...record, messages })?.list ?? []);
    const list = messagesFrom(prompt);
    const asked = list.filter((message) => !isRedacted(message));
    const hasRedacted = asked.length < list.length;
    const answers = answersIn(record, hasRedacted).map((answer) => withCost(answer, record));
    const stamp = {
      sessionId,
      time: timeOf(record['endTime'] ?? record['startTime']),
      model: textOf(record['model']),
    };
    // Without its content, only the id tells a request from others.
    const seed = hasRedacted ? textOf(record['id']) : undefined;
    return reading(this.#conversations.read([...asked, ...answers], stamp, seed));
  }

  end(): [] {
    return [];
  }
}

/** What stands for the content of messages if the proxy is configured not to log it. */
const redacted = 'redacted-by-litellm';

function isRedacted(message: Message): boolean {
  return 'text' in message && message.text === redacted;
}

/** @param hasRedacted whether the record leaves out content, so that the answer may be known by its usage only */
function answersIn(record: JsonObject, hasRedacted: boolean): Message[] {
  const answers = answerIn(record['response']);
  if (hasRedacted && answers.length === 0 && (usageOf(record)?.outputTokens ?? 0) > 0)
    return [{ role: 'assistant', calls: [] }];
  return answers.map((answer) =>
    answer.role === 'assistant' && isRedacted(answer) ? { ...answer, text: undefined } : answer,
  );
}

function sessionOf(record: JsonObject): string | undefined {
  const metadata = objectOf(unwrapped(record['metadata']));
  const requester = objectOf(metadata['requester_metadata']);
  const named = [
    record['litellm_session_id'],
    record['session_id'],
    metadata['litellm_session_id'],
    metadata['session_id'],
    requester['session_id'],
    record['trace_id'],
    metadata['trace_id'],
  ];
  return named.map(textOf).find((id) => id !== undefined);
}

function withCost(message: Message, record: JsonObject): Message {
  if (message.role !== 'assistant') return message;
  return {
    ...message,
    usage: usageOf(record),
    costUsd: numberOf(record['response_cost'] ?? record['spend']),
  };
}

/** The details are those of the API that was called. */
function usageOf(record: JsonObject): Usage | undefined {
  const inputTokens = tokensOf(record['prompt_tokens']);
  const outputTokens = tokensOf(record['completion_tokens']);
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  const { usage } = objectOf(unwrapped(record['response']));
  return { ...usageOfApi(usage), inputTokens: inputTokens ?? 0, outputTokens: outputTokens ?? 0 };
}
