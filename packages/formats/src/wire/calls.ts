import { isObject, type JsonObject, listOf, nameOf, objectOf, textOf, unwrapped } from '../record/json.ts';
import type { Message, ToolCall, ToolResult } from '../record/message.ts';
import { blockResult, isResultBlock } from './anthropic.ts';
import { bedrockCall, bedrockResult } from './bedrock.ts';
import { blocksIn, textIn } from './blocks.ts';
import { geminiCall, geminiResult } from './gemini.ts';
import { plainResult } from './result.ts';

/** The calls in a message of the model. */
export function callsIn(item: JsonObject): ToolCall[] {
  const { function_call: older } = item;
  const calls = [
    ...listOf(item['tool_calls']),
    ...listOf(item['toolCalls']),
    ...listOf(item['toolInvocations']),
    ...(isObject(older) ? [older] : []),
  ].map((call) => callOf(objectOf(call)));
  // LangChain repeats the blocks of an Anthropic message in `tool_calls`.
  const known = new Set(calls.map(({ id }) => id));
  for (const block of blocksIn(item)) {
    const inner = geminiCall(block) ?? bedrockCall(block);
    if (inner === undefined && !callBlocks.has(nameOf(block['type']))) continue;
    const call = callOf(inner ?? block);
    if (call.id === null || !known.has(call.id)) calls.push(call);
  }
  return calls;
}

const callBlocks = new Set([
  'tool_use',
  'server_tool_use',
  'mcp_tool_use',
  'tool_call',
  'tool-call',
  'toolCall',
]);

/** A tool call of any API, wrapped or not. */
function callOf(value: JsonObject): ToolCall {
  const call = isObject(value['tool_call']) ? value['tool_call'] : value;
  const inner = objectOf(call['function'] ?? call['custom']);
  const named = [inner['name'], call['name'], call['toolName'], call['tool_name'], call['function']];
  const name = named.map(textOf).find((one) => one !== undefined) ?? '';
  const args = inner['arguments'] ?? call['arguments'] ?? call['args'] ?? inner['input'] ?? call['input'];
  const id = textOf(call['id']) ?? textOf(call['toolCallId']) ?? textOf(call['call_id']) ?? null;
  if ('custom' in call) return { id, name, args: { input: args } };
  // Telemetry may leave them out.
  if (args === undefined && (call !== value || call['type'] === 'tool_call'))
    return { id, name, args: {}, hasUnknownArgs: true };
  return { id, name, args: typeof args === 'string' ? args : { ...objectOf(args) } };
}

/** The tool results among the blocks of a message. */
export function resultsIn(item: JsonObject): Message[] {
  const results = blocksIn(item).flatMap(resultsOf);
  return results.length === 0 ? [] : [{ role: 'tool', results }];
}

/** The result in a block of Anthropic, of OpenTelemetry (`tool_call_response`) or of the AI SDK (`tool-result`). */
function resultsOf(block: JsonObject): ToolResult[] {
  const { type, response, result } = block;
  if (isResultBlock(block)) return [blockResult(block)];
  const wrapped = geminiResult(block) ?? bedrockResult(block);
  if (wrapped !== undefined) return [wrapped];
  if (type !== 'tool_call_response' && type !== 'tool-result') return [];
  const { output, isFailure } = unwrappedOutput(block);
  const given = block['content'] ?? response ?? result ?? output;
  // Telemetry may leave it out.
  if (given === undefined && type === 'tool_call_response') return [];
  return [
    {
      id: textOf(block['id']) ?? textOf(block['toolCallId']) ?? null,
      result: plainResult(given),
      isError: isFailure || block['isError'] === true ? true : undefined,
    },
  ];
}

/** The results in a message of a tool that has no blocks with results. Source of the several ones: AG2, tau2. */
export function ownResults(item: JsonObject): ToolResult[] {
  const several = [item['tool_responses'], item['tool_messages']].find(Array.isArray);
  if (several !== undefined) return several.flatMap((one) => ownResults(objectOf(one)));
  const id = textOf(item['tool_call_id']) ?? textOf(item['toolCallId']) ?? textOf(item['id']) ?? null;
  // OpenInference of AutoGen.
  if (id === null && Array.isArray(item['function'])) return item['function'].map(autogenResult);
  const { content, error, status } = item;
  // Some leave out the content of a failed call.
  const message = textIn(item, '') === '' ? (textOf(error) ?? textOf(objectOf(error)['message'])) : undefined;
  const isFailed =
    status === 'error' || item['is_error'] === true || item['isError'] === true || Boolean(error);
  return [{ id, result: message ?? plainResult(content), isError: isFailed ? true : undefined }];
}

function autogenResult(value: unknown): ToolResult {
  const { call_id: id, content, is_error: isError } = objectOf(unwrapped(value));
  return {
    id: textOf(id) ?? null,
    result: plainResult(content),
    isError: isError === true ? true : undefined,
  };
}

const forms = /^(error-)?(?:text|json|content)$/;

/** Unwraps a tool output of the AI SDK, such as `{type: 'error-text', value: 'no such file'}`. */
function unwrappedOutput({ type, output }: JsonObject): {
  readonly output: unknown;
  readonly isFailure: boolean;
} {
  const { type: form, value } = objectOf(output);
  const match = type === 'tool-result' && value !== undefined ? forms.exec(nameOf(form)) : null;
  return match === null ? { output, isFailure: false } : { output: value, isFailure: match[1] !== undefined };
}
