import {
  isObject,
  type JsonObject,
  joinedText,
  listOf,
  nameOf,
  objectOf,
  textOf,
  tokensOf,
} from '../record/json.ts';
import type { ToolCall, ToolResult, Usage } from '../record/message.ts';
import { type AnswerDelta, noDelta, type StreamedAnswer } from './answer.ts';
import { plainResult } from './result.ts';

const callEnding = '_call';
const outputEnding = '_call_output';
/** Types of calls that the client runs, as a function call. */
const clientCalls = new Set([
  'function_call',
  'custom_tool_call',
  'shell_call',
  'local_shell_call',
  'apply_patch_call',
  'computer_call',
]);

/** The call in an item of the Responses API; undefined if it is none, or has no input to judge it by. */
export function itemCall(item: JsonObject): ToolCall | undefined {
  const type = nameOf(item['type']);
  if (!type.endsWith(callEnding)) return undefined;
  const name = textOf(item['name']);
  const args = inputOf(item) ?? (name === undefined ? undefined : '');
  if (args === undefined) return undefined;
  return { id: idOf(item), name: name ?? type.slice(0, -callEnding.length), args };
}

/** The types of the calls among items that have no input to judge them by. */
export function unknownCalls(items: readonly unknown[]): string[] {
  return items.flatMap((value) => {
    const item = objectOf(value);
    const isUnknown = nameOf(item['type']).endsWith(callEnding) && itemCall(item) === undefined;
    return isUnknown ? [nameOf(item['type'])] : [];
  });
}

/** Whether an item is a call that the client runs, rather than the API. */
export function isClientCall({ type, environment, execution, call_id: id }: JsonObject): boolean {
  const isHosted = objectOf(environment)['type'] === 'container_reference' || execution === 'server';
  // Of a type that is not known, the id is what the client's output would name.
  const isAnswered = nameOf(type).endsWith(callEnding) && typeof id === 'string';
  return ((clientCalls.has(nameOf(type)) || isAnswered) && !isHosted) || execution === 'client';
}

/** The result in an item: an output, or a call that the API has run. */
export function itemResult(item: JsonObject): ToolResult | undefined {
  const type = nameOf(item['type']);
  const isOutput = type.endsWith(outputEnding);
  if (!isOutput && !type.endsWith(callEnding)) return undefined;
  const { error, output, outputs, results } = item;
  const result = error ?? output ?? outputs ?? results ?? (isOutput ? '' : undefined);
  if (result === undefined) return undefined;
  const isFailed = item['status'] === 'failed' || (error !== undefined && error !== null);
  return { id: idOf(item), result: plainResult(result), isError: isFailed ? true : failedIn(result) };
}

function idOf(item: JsonObject): string | null {
  return textOf(item['call_id']) ?? textOf(item['id']) ?? null;
}

function inputOf(item: JsonObject): ToolCall['args'] | undefined {
  const { arguments: args, action, operation } = item;
  if (typeof args === 'string') return args;
  const whole = [args, action, operation].find(isObject);
  if (whole !== undefined) return whole;
  const key = ['input', 'actions', 'code', 'queries'].find((one) => item[one] !== undefined);
  return key === undefined ? undefined : { [key]: item[key] };
}

/** Whether a command of a shell's output failed; undefined if it does not say. */
function failedIn(output: unknown): boolean | undefined {
  const outcomes = listOf(output).flatMap((one) => objectOf(objectOf(one)['outcome'])['type'] ?? []);
  if (outcomes.length === 0) return undefined;
  return listOf(output).some((one) => {
    const { type, exit_code: code } = objectOf(objectOf(one)['outcome']);
    return type === 'timeout' || (code !== undefined && code !== 0);
  });
}

export function responsesUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  return {
    inputTokens: tokensOf(value['input_tokens']),
    outputTokens: tokensOf(value['output_tokens']),
    cachedInputTokens: tokensOf(objectOf(value['input_tokens_details'])['cached_tokens']),
    reasoningTokens: tokensOf(objectOf(value['output_tokens_details'])['reasoning_tokens']),
  };
}

/** A streamed answer of OpenAI's Responses. */
export class ResponsesAnswer implements StreamedAnswer {
  id: string | null = null;
  rawUsage: JsonObject | null = null;
  finishReason: string | null = null;
  /** Complete items. */
  readonly items: JsonObject[] = [];
  readonly calls: ToolCall[] = [];
  readonly results: ToolResult[] = [];

  get unknownCalls(): readonly string[] {
    return unknownCalls(this.items);
  }

  get usage(): Usage | null {
    return responsesUsage(this.rawUsage) ?? null;
  }

  /** Each item arrives complete with its last event. */
  get completeCalls(): number {
    return this.calls.length;
  }

  read(event: JsonObject): AnswerDelta {
    switch (event['type']) {
      case 'response.created':
        this.id = textOf(objectOf(event['response'])['id']) ?? null;
        return noDelta;
      case 'response.output_item.added':
        return isClientCall(objectOf(event['item'])) ? { isOfCall: true } : noDelta;
      case 'response.output_item.done':
        this.#addItem(objectOf(event['item']));
        return noDelta;
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        return { text: textOf(event['delta']) ?? '' };
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        return { thought: textOf(event['delta']) ?? '' };
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed': {
        const response = objectOf(event['response']);
        this.finishReason = textOf(response['status']) ?? null;
        this.rawUsage = isObject(response['usage']) ? response['usage'] : null;
        return { isEnd: true, ...this.#readWhole(response) };
      }
      default:
        return noDelta;
    }
  }

  /** Some logs have only the last event, which repeats the answer. */
  #readWhole({ id, output }: JsonObject): AnswerDelta {
    if (this.id !== null || this.items.length > 0) return noDelta;
    this.id = textOf(id) ?? null;
    const items = listOf(output).map(objectOf);
    for (const item of items) this.#addItem(item);
    const textsOf = (type: string, key: string) =>
      items
        .filter((item) => item['type'] === type)
        .map((item) => joinedText(item[key]))
        .join('');
    return { text: textsOf('message', 'content'), thought: textsOf('reasoning', 'summary') };
  }

  #addItem(item: JsonObject): void {
    this.items.push(item);
    const call = itemCall(item);
    const result = itemResult(item);
    if (call !== undefined) this.calls.push(call);
    if (result !== undefined) this.results.push(result);
  }
}
