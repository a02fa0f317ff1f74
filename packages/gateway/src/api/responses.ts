import { isClientCall, itemCall, readResponsesAnswer } from '@loopwatch/formats/wire';
import type { Api } from './api.ts';
import { editUserTexts } from './content.ts';
import { asAssistant, type Conversation, type Guidance, guidanceFor, type Json } from './conversation.ts';
import { serverSentEvents } from './framing.ts';
import { historyItems } from './history.ts';
import {
  hasTools,
  isJsonFormat,
  isObject,
  limitedResult,
  named,
  objects,
  sessionNames,
  text,
  without,
} from './json.ts';
import { inputOf } from './responses-items.ts';
import { ResponsesStream } from './responses-stream.ts';
import { editLastOutput, failedOutput, isOutput } from './tool-outputs.ts';

const noUsage = {
  input_tokens: 0,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 0,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 0,
};

/** OpenAI's Responses: `POST /v1/responses`. */
export const responsesApi: Api = {
  kind: 'responses',
  backend: 'openai',
  historyKey: 'input',
  usageKey: 'usage',
  framing: serverSentEvents,

  readRequest(body) {
    const { input } = body;
    if (input !== undefined && typeof input !== 'string' && !Array.isArray(input)) return undefined;
    const previous = named(body['previous_response_id']);
    const names = sessionNames(body);
    const system = text(body['instructions']) ?? '';
    return {
      model: text(body['model']),
      stream: body['stream'] === true,
      items: [
        ...(system === '' ? [] : [{ role: 'system' as const, text: system }]),
        ...historyItems(inputOf(body)),
      ],
      names,
      previous,
      keepsHistory: previous !== null || names.conversation !== null,
    } satisfies Conversation;
  },

  readReply: readResponsesAnswer,

  withUserTexts(body, edit, isCommandReply) {
    return { ...body, input: editUserTexts(inputOf(body), edit, isCommandReply) };
  },

  withGuidance(body, reply, guidance) {
    const input = [...inputOf(body), ...guidanceItems(reply, guidance, body['store'] !== false)];
    return { ...body, input };
  },

  withNote(body, note, as) {
    const input = inputOf(body);
    if (as === 'assistant') return { ...body, input: [...input, ...asAssistant(note)] };
    return { ...body, input: editLastOutput(input, (output) => `${output}\n\n${note}`, note) };
  },

  withLimit(body, message) {
    const input = inputOf(body);
    const limit = (output: string) => limitedResult(output, message);
    return {
      ...body,
      input: input.some(isOutput) ? editLastOutput(input, limit, message) : input,
      ...(hasTools(body) && { tool_choice: 'none' }),
    };
  },

  syntheticReply(body, { id, text: said, details }, usage) {
    const format = isObject(body['text']) ? body['text']['format'] : undefined;
    // The answer to a command is no refusal.
    const part =
      details !== undefined && isJsonFormat(format)
        ? { type: 'refusal', refusal: said }
        : { type: 'output_text', text: said, annotations: [], logprobs: [] };
    const item = {
      type: 'message',
      id: `msg_loopwatch_${id}`,
      role: 'assistant',
      status: 'completed',
      content: [part],
    };
    return {
      id: `resp_loopwatch_${id}`,
      object: 'response',
      created_at: Math.floor(Date.now() / 1000),
      // Clients treat any other status as a failure; `loopwatch` has the reason.
      status: 'completed',
      error: null,
      incomplete_details: null,
      instructions: body['instructions'] ?? null,
      metadata: body['metadata'] ?? {},
      model: text(body['model']) ?? '',
      output: [item],
      parallel_tool_calls: body['parallel_tool_calls'] ?? true,
      previous_response_id: body['previous_response_id'] ?? null,
      temperature: body['temperature'] ?? null,
      tool_choice: body['tool_choice'] ?? 'auto',
      tools: body['tools'] ?? [],
      top_p: body['top_p'] ?? null,
      usage: usage ?? noUsage,
      ...(details && { loopwatch: details }),
    };
  },

  withEarlier(body, earlier, reply) {
    const previous = earlier['previous_response_id'];
    const answered = reply === null || reply === '' ? [] : [{ role: 'assistant', content: reply }];
    const input = [...inputOf(earlier), ...answered, ...inputOf(body)];
    return {
      ...without(body, 'previous_response_id'),
      ...(typeof previous === 'string' && { previous_response_id: previous }),
      input,
    };
  },

  requestAfter: (replyId) => ({ previous_response_id: replyId }),

  callItems: (reply) => objects(reply['output']).filter((item) => itemCall(item) !== undefined),

  withCallItems(body, callOf) {
    const { input } = body;
    const isReference = (item: unknown) => isObject(item) && item['type'] === 'item_reference';
    if (!Array.isArray(input) || !input.some(isReference)) return body;
    const callFor = (item: unknown): unknown =>
      isObject(item) && isReference(item) ? (callOf(text(item['id']) ?? '') ?? item) : item;
    return { ...body, input: input.map(callFor) };
  },

  stream: (body) => new ResponsesStream((reply) => responsesApi.syntheticReply(body, reply, null)),
};

/** @param isStored whether the API keeps the items of the reply */
function guidanceItems(reply: Json, guidance: Guidance, isStored: boolean): Json[] {
  if (guidance.as === 'assistant') return asAssistant(guidance.text);
  const items: Json[] = [];
  const outputs: Json[] = [];
  let calls = 0;
  for (const item of objects(reply['output'])) {
    // Only its id would tell the API what the model has thought.
    if (!isStored && item['type'] === 'reasoning' && text(item['encrypted_content']) === null) continue;
    const isCall = itemCall(item) !== undefined;
    const told = guidanceFor(guidance, calls);
    const output = isCall ? failedOutput(item, told) : undefined;
    // A call of the client without an output would be an invalid request.
    if (output !== undefined || !isClientCall(item)) items.push(item);
    if (output !== undefined) outputs.push(output);
    else if (isCall && calls === guidance.call) outputs.push({ role: 'user', content: told });
    if (isCall) calls += 1;
  }
  return [...items, ...outputs];
}
