import { isObject, type JsonObject, listOf, objectOf, textOf } from '../record/json.ts';
import type { Message, ToolCall } from '../record/message.ts';
import { readMessage } from '../wire/messages.ts';

/** How the result of a tool begins: `[execute_command for 'ls'] Result:`. */
const resultHeading = /^\[([a-z][\w-]*)(?: for [\s\S]*)?\] Result:\s*/;
const toolCall = /<([a-z]+(?:_[a-z]+)+)>([\s\S]*?)<\/\1>/g;
const parameter = /<([a-z]\w*)>([\s\S]*?)<\/\1>/g;
/** What a failed tool returns. */
const failure = /^The tool execution failed with the following error:|^<error>/;

/** Whether a list of messages has results in the texts of prompts, as Cline and its forks write those of models without tool calls. */
export function hasTextResults(list: readonly unknown[]): boolean {
  return list.some((value) => textsOf(objectOf(value)).some((text) => resultHeading.test(text)));
}

/** Reads such a message: a response has its call as XML in its text, a prompt the result below a heading. */
export function readTextCalls(value: unknown): readonly Message[] {
  const message = objectOf(value);
  const [read, ...others] = readMessage(message);
  if (read === undefined) return [];
  if (read.role === 'assistant' && read.calls.length === 0)
    return [{ ...read, calls: callsIn(read.text ?? '') }, ...others];
  const texts = textsOf(message);
  const at = texts.findIndex((text) => resultHeading.test(text));
  if (message['role'] !== 'user' || at === -1) return [read, ...others];
  // The environment's details follow the result.
  const end = texts.findIndex((text, i) => i > at && text.startsWith('<environment_details>'));
  const result = texts
    .slice(at, end === -1 ? undefined : end)
    .join('\n')
    .replace(resultHeading, '');
  return [
    { role: 'tool', results: [{ id: null, result, isError: failure.test(result) ? true : undefined }] },
  ];
}

function callsIn(text: string): ToolCall[] {
  return Array.from(text.matchAll(toolCall), ([, name = '', inner = '']) => ({
    id: null,
    name,
    args: Object.fromEntries(
      Array.from(inner.matchAll(parameter), ([, key = '', held = '']) => [key, held.trim()]),
    ),
  }));
}

function textsOf({ content }: JsonObject): string[] {
  if (typeof content === 'string') return [content];
  return listOf(content).flatMap((part) => (isObject(part) ? (textOf(part['text']) ?? []) : []));
}
