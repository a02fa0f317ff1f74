import type { Api } from './api.ts';
import { contentText, editUserTexts, userText } from './content.ts';
import {
  type Conversation,
  continuePrompt,
  type Guidance,
  guidanceFor,
  type Item,
  type Json,
  type Reply,
  type ToolCall,
} from './conversation.ts';
import {
  hasTools,
  limitedResult,
  named,
  objects,
  remembered,
  replaceLast,
  sessionNames,
  text,
  without,
} from './json.ts';
import { inputOf, responsesUsage } from './responses-items.ts';
import { ResponsesStream } from './responses-stream.ts';

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
        ...itemsOf(inputOf(body)),
      ],
      names,
      previous,
      keepsHistory: previous !== null || names.conversation !== null,
    } satisfies Conversation;
  },

  readReply(body): Reply | undefined {
    if (!Array.isArray(body['output'])) return undefined;
    const output = objects(body['output']);
    return {
      id: text(body['id']),
      text: output
        .flatMap((item) => (item['type'] === 'message' ? [contentText(item['content'])] : []))
        .join(''),
      thought: output
        .flatMap((item) =>
          item['type'] === 'reasoning' ? [contentText(item['summary']), contentText(item['content'])] : [],
        )
        .join(''),
      calls: output.flatMap(callOf),
      usage: responsesUsage(body['usage']),
      finishReason: text(body['status']),
    };
  },

  withUserTexts(body, edit, isCommandReply) {
    return { ...body, input: editUserTexts(inputOf(body), edit, isCommandReply) };
  },

  withGuidance(body, reply, guidance) {
    const input = [...inputOf(body), ...guidanceItems(reply, guidance)];
    return { ...body, input };
  },

  withNote(body, note, as) {
    const input = inputOf(body);
    if (as === 'assistant') return { ...body, input: [...input, ...asAssistant(note)] };
    if (!input.some(isResult)) return { ...body, input: [...input, { role: 'user', content: note }] };
    const add = (item: Json): Json => ({ ...item, output: `${contentText(item['output'])}\n\n${note}` });
    return { ...body, input: replaceLast(input, isResult, add) };
  },

  withLimit(body, message) {
    const limited = (item: Json): Json => ({
      ...item,
      output: limitedResult(contentText(item['output']), message),
    });
    const input = replaceLast(inputOf(body), isResult, limited);
    return { ...body, input, ...(hasTools(body) && { tool_choice: 'none' }) };
  },

  syntheticReply(body, { id, text: content, details }, usage) {
    const item = {
      type: 'message',
      id: `msg_loopwatch_${id}`,
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: content, annotations: [], logprobs: [] }],
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

  stream: (body) => new ResponsesStream((reply) => responsesApi.syntheticReply(body, reply, null)),
};

/** Calls are separate items in this API; consecutive ones belong to one reply. */
function itemsOf(input: readonly Json[]): Item[] {
  const items: Item[] = [];
  for (const item of input) {
    const [call] = callOf(item);
    const last = items.at(-1);
    if (call !== undefined) {
      if (last?.role === 'assistant') items[items.length - 1] = { ...last, calls: [...last.calls, call] };
      else items.push({ role: 'assistant', text: '', calls: [call] });
    } else if (isResult(item))
      items.push({
        role: 'result',
        callId: text(item['call_id']),
        result: contentText(item['output']),
      });
    else if (item['role'] === 'user') items.push({ role: 'user', text: userText(item['content']) });
    else if (item['role'] === 'assistant')
      items.push({ role: 'assistant', text: contentText(item['content']), calls: [] });
    else if (item['role'] === 'system' || item['role'] === 'developer')
      items.push({ role: 'system', text: contentText(item['content']) });
  }
  return items;
}

function isResult({ type }: Json): boolean {
  return type === 'function_call_output' || type === 'custom_tool_call_output';
}

const callOf = remembered((item: Json): ToolCall[] => {
  const id = text(item['call_id']);
  const name = text(item['name']) ?? '';
  if (item['type'] === 'function_call') return [{ id, name, args: text(item['arguments']) ?? '' }];
  if (item['type'] === 'custom_tool_call') return [{ id, name, args: text(item['input']) ?? '' }];
  return [];
});

function guidanceItems(reply: Json, guidance: Guidance): Json[] {
  if (guidance.as === 'assistant') return asAssistant(guidance.text);
  const output = objects(reply['output']);
  const results = output
    .filter((item) => callOf(item).length > 0)
    .map(({ type, call_id: id }, i) => ({
      type: type === 'custom_tool_call' ? 'custom_tool_call_output' : 'function_call_output',
      call_id: id,
      output: JSON.stringify({ error: guidanceFor(guidance, i) }),
    }));
  return [...output, ...results];
}

function asAssistant(content: string): Json[] {
  return [
    { role: 'assistant', content },
    { role: 'user', content: continuePrompt },
  ];
}
