import {
  isObject,
  type JsonObject,
  joinedText,
  listOf,
  nameOf,
  objectOf,
  textOf,
  unwrapped,
} from '../record/json.ts';
import type { Signal } from '../record/signal.ts';
import type { ToolSides } from '../record/tool-sides.ts';
import { geminiResponse } from '../wire/gemini.ts';
import { plainResult } from '../wire/result.ts';
import { toolMessageOf } from '../wire/tool-message.ts';
import { eventAttribute, nested } from './otlp-json.ts';
import { FUNCTION_TEMPLATE } from './span-kind.ts';

export interface ToolFacts {
  readonly name: string;
  readonly callId: string | undefined;
  /** Undefined if the span does not record them. */
  readonly args: Readonly<Record<string, unknown>> | string | undefined;
  readonly result: unknown;
  readonly isError: boolean | undefined;
}

/** The call and its result in the span of a tool. */
export function toolOf(span: Signal): ToolFacts {
  const { name, attributes: a } = span;
  const adk = adkContent(a);
  const isOfLogfire = a['logfire.msg_template'] === FUNCTION_TEMPLATE;
  const input =
    a['gen_ai.tool.call.arguments'] ??
    a['ai.toolCall.args'] ??
    a['input.value'] ??
    a['tool.arguments'] ??
    a['tool_arguments'] ??
    nested(a, 'tool.parameters') ??
    a['traceloop.entity.input'] ??
    a['langfuse.observation.input'] ??
    a['spring.ai.tool.call.arguments'] ??
    a['mlflow.spanInputs'] ??
    only(a['gen_ai.prompt'], 'input') ??
    (isOfLogfire ? a['input'] : undefined) ??
    eventAttribute(span, 'gen_ai.tool.message', 'content') ??
    eventAttribute(span, 'gen_ai.user.message', 'content') ??
    parametersOf(a) ??
    adk.args;
  const output =
    ('gcp.vertex.agent.event_id' in a ? adk.result : undefined) ??
    unquoted(a['gen_ai.tool.call.result'] ?? a['spring.ai.tool.call.result'] ?? a['mlflow.spanOutputs']) ??
    unwrapped(a['ai.toolCall.result']) ??
    // The text of null, which is a result too.
    a['ai.toolCall.result'] ??
    a['output.value'] ??
    a['tool_response'] ??
    a['traceloop.entity.output'] ??
    a['langfuse.observation.output'] ??
    only(a['gen_ai.completion'], 'output') ??
    (isOfLogfire ? a['output'] : undefined) ??
    choiceOf(span) ??
    a['code.function.return.value'] ??
    eventAttribute(span, 'tool.output', 'output') ??
    adk.result;
  const call = callOf(input);
  const message = toolMessageOf(output) ?? toolOutputOf(output);
  const id =
    textOf(a['gen_ai.tool.call.id']) ??
    textOf(a['ai.toolCall.id']) ??
    textOf(a['tool.id']) ??
    textOf(a['spring.ai.tool.call.id']) ??
    call.callId;
  return {
    name:
      textOf(a['gen_ai.tool.name']) ??
      textOf(a['tool.name']) ??
      textOf(a['ai.toolCall.name']) ??
      textOf(a['traceloop.entity.name']) ??
      textOf(a['spring.ai.tool.definition.name']) ??
      (isOfLogfire ? textOf(a['name']) : undefined) ??
      name.replace(/\.(?:__call__|acall)$/, ''),
    callId: (id === unspecified ? undefined : id) ?? message?.callId,
    args: call.args,
    result: message === undefined ? output : message.result,
    isError:
      message?.isError ?? ((a['gen_ai.tool.status'] ?? a['tool.status']) === 'error' ? true : undefined),
  };
}

/** What tells whether another span reports the same call. */
export function sideOf(
  span: Signal,
  { name, args }: Pick<ToolFacts, 'name' | 'args'>,
): Parameters<ToolSides['learn']>[1] {
  const isOfMcp = 'mcp.method.name' in span.attributes;
  return {
    name,
    side: span.isServer === true ? 'server' : isOfMcp ? 'client' : 'agent',
    hasArgs: args !== undefined,
  };
}

/** How Python writes a result of Haystack. */
const toolCallResult = /ToolCallResult\(result=(['"])([\s\S]*?)\1, origin=[\s\S]*?, error=(True|False)\)/;

/** The results that Haystack's invoker of tools has, as objects or as Python writes them. */
export function resultsOf({ attributes }: Signal): Pick<ToolFacts, 'result' | 'isError'>[] {
  const { tool_messages: messages } = objectOf(unwrapped(attributes['output.value']));
  return listOf(messages).map((message) => {
    const { content } = objectOf(message);
    const held = listOf(content).map((part) => objectOf(part)['tool_call_result']);
    if (isObject(held[0]))
      return { result: held[0]['result'], isError: held[0]['error'] === true || undefined };
    const [, , written, error] = toolCallResult.exec(textOf(message) ?? '') ?? [];
    return { result: written ?? message, isError: error === 'True' || undefined };
  });
}

/** Id of a call that ADK does not know. */
const unspecified = '<not specified>';

/** ADK's own attributes; both are `{}` if it is configured not to record content. */
function adkContent(a: JsonObject): { readonly args?: unknown; readonly result?: unknown } {
  const args = a['gcp.vertex.agent.tool_call_args'];
  const response = objectOf(unwrapped(a['gcp.vertex.agent.tool_response'] ?? a['gen_ai.tool.call.result']));
  const isEmpty = Object.keys(response).length === 0;
  return {
    args: isEmpty && args === '{}' ? undefined : args,
    result: isEmpty ? undefined : geminiResponse(response).result,
  };
}

/** The parameters of a function, each with its type, as version 0 of the instrumentation of Google's GenAI SDK records them. */
function parametersOf(a: JsonObject): JsonObject | undefined {
  if (!('code.args.keyword.count' in a)) return undefined;
  const given = Object.entries(objectOf(nested(a, 'code.function.parameters'))).map(
    ([name, parameter]) => [name, objectOf(parameter)] as const,
  );
  // An attribute cannot be null. Without content, only the types are recorded.
  if (!given.every(([, { type, value }]) => value !== undefined || type === 'NoneType')) return undefined;
  return Object.fromEntries(
    given.map(([name, { type, value = null }]) => [name, type === 'str' ? value : unwrapped(value)]),
  );
}

/** What wraps arguments in Python; smolagents adds the last. */
const wrapping = new Set(['args', 'kwargs', 'sanitize_inputs_outputs']);

/** LangChain's callbacks of OpenLLMetry wrap the arguments, and LlamaIndex passes them on by position and name. */
function callOf(input: unknown): Pick<ToolFacts, 'args' | 'callId'> {
  const value = unwrapped(input);
  if (isObject(value) && 'input_str' in value && 'inputs' in value) {
    const { inputs, input_str: text, kwargs } = value;
    const args = isObject(inputs) ? inputs : (textOf(text) ?? '');
    return { args, callId: textOf(objectOf(kwargs)['tool_call_id']) };
  }
  if (isObject(value) && isObject(value['kwargs']) && Object.keys(value).every((key) => wrapping.has(key))) {
    const { args, kwargs } = value;
    return { args: listOf(args).length === 0 ? kwargs : { args, kwargs }, callId: undefined };
  }
  const parameters = listOf(value).map(objectOf);
  // Bedrock's agents have a list of parameters.
  if (parameters.length > 0 && parameters.every((one) => 'name' in one && 'value' in one))
    return {
      args: Object.fromEntries(parameters.map((one) => [nameOf(one['name']), one['value']])),
      callId: undefined,
    };
  if (input === undefined || typeof input === 'string') return { args: input, callId: undefined };
  return { args: { ...objectOf(input) }, callId: undefined };
}

/** The result in a tool output of LlamaIndex, which an event with the id of the call can contain. */
function toolOutputOf(output: unknown): Pick<ToolFacts, 'callId' | 'result' | 'isError'> | undefined {
  const value = objectOf(unwrapped(output));
  const held = objectOf(value['tool_output'] ?? value);
  if (!('raw_output' in held && 'tool_name' in held)) return undefined;
  return {
    callId: textOf(value['tool_id']),
    result: plainResult(held['raw_output']),
    isError: held['is_error'] === true ? true : undefined,
  };
}

/** The result in the span event of Strands. */
function choiceOf(span: Signal): unknown {
  const held = unwrapped(eventAttribute(span, 'gen_ai.choice', 'message'));
  return Array.isArray(held) && held.every((part) => 'text' in objectOf(part)) ? joinedText(held) : held;
}

/** LangSmith: the value, or what alone is in it. */
function only(value: unknown, key: string): unknown {
  const held = objectOf(unwrapped(value));
  return Object.keys(held).length === 1 && key in held ? held[key] : value;
}

/** Decodes a string that the AI SDK encodes as JSON, whereas histories contain it unencoded. */
function unquoted(value: unknown): unknown {
  const text = unwrapped(value);
  return typeof text === 'string' ? text : value;
}
