import { isObject, type JsonObject, listOf, nameOf, objectOf, unwrapped } from '../record/json.ts';
import type { Message } from '../record/message.ts';
import { answerIn, withUsage } from './logged-answers.ts';

/** A list of messages, as a request to a model or another state of a conversation. */
export interface MessageList {
  /** The body of the request, or the record itself. */
  readonly request: JsonObject;
  readonly list: readonly unknown[];
}

/** Names of a request's body: of proxies, Gemini's and Helicone's logs, LiteLLM and Weave. */
const requests = ['request', 'full_request', 'request_body', 'requestBody', 'proxy_server_request', 'inputs'];
const responses = ['response', 'full_response', 'response_body', 'responseBody', 'output'];

/** The messages that a record lists; undefined if it lists none. */
export function messageListIn(record: JsonObject): MessageList | undefined {
  const { input } = record;
  for (const value of [record, ...requests.map((name) => record[name]), objectOf(input)['inputBodyJson']]) {
    const request = bodyOf(value);
    const list = listIn(request);
    if (list !== undefined) return { request, list };
  }
  // A request of the Responses API can be a text.
  const request = bodyOf(record['request'] ?? record);
  const { input: content } = request;
  const isRequest = typeof content === 'string' && answerBeside(record).length > 0;
  return isRequest ? { request, list: [{ role: 'user', content }] } : undefined;
}

/** The model's answer to a request, as proxies log both in one record; empty if there is none. */
export function answerBeside(record: JsonObject): Message[] {
  const values = responses.map((name) => record[name]);
  for (const value of [...values, objectOf(record['output'])['outputBodyJson']]) {
    const answer = answerIn(value);
    if (answer.length === 0) continue;
    const hasUsage = answer.some((message) => message.role === 'assistant' && message.usage !== undefined);
    return hasUsage ? answer : withUsage(answer, record['usage'] ?? record);
  }
  return answerIn({ choices: record['choices'], usage: record['usage'] });
}

/** A body can be text, or beside the headers of its request. */
function bodyOf(value: unknown): JsonObject {
  const body = objectOf(unwrapped(value));
  return isObject(unwrapped(body['body'])) && listIn(body) === undefined ? bodyOf(body['body']) : body;
}

function listIn(body: JsonObject): readonly unknown[] | undefined {
  const lists = [
    body['messages'],
    body['input'],
    objectOf(body['values'])['messages'],
    objectOf(body['chat_message_store_state'])['messages'],
    body['contents'],
  ];
  return lists.find(isList);
}

function isList(value: unknown): value is readonly unknown[] {
  return listOf(value).some(
    (item) =>
      isObject(item) &&
      ('role' in item ||
        'kwargs' in item ||
        /^(?:human|ai|tool)$|_call(?:_output)?$/.test(nameOf(item['type']))),
  );
}
