import type { Json, Usage } from './conversation.ts';
import { count, isObject, objects } from './json.ts';

/** The input of a request of Responses as a list of items; a text is a message of the user. */
export function inputOf({ input }: Json): Json[] {
  return typeof input === 'string' ? [{ role: 'user', content: input }] : objects(input);
}

/** Whether an item is a call of a tool. */
export function isCall({ type }: Json): boolean {
  return type === 'function_call' || type === 'custom_tool_call';
}

/** Tokens as Responses report them. */
export function responsesUsage(usage: unknown): Usage | null {
  if (!isObject(usage)) return null;
  return { inputTokens: count(usage['input_tokens']), outputTokens: count(usage['output_tokens']) };
}
