import { isObject, type JsonObject, listOf, nameOf, objectOf } from '../record/json.ts';

/** States of a call whose arguments are still being written. */
const unfinished = new Set(['input-streaming', 'partial-call']);
const failed = new Set(['output-error', 'output-denied']);

/**
 * The messages in a message of the AI SDK's user interface, which holds a whole answer: one for each of its steps, and one for
 * the results of the step. Source: `UIMessage` of `ai` 6; version 4 had parts of the type `tool-invocation`.
 *
 * @returns undefined if the message has no such call
 */
export function messagesInUiMessage(message: JsonObject): readonly JsonObject[] | undefined {
  const parts = listOf(message['parts']).map(objectOf);
  if (!parts.some(isToolPart)) return undefined;
  const steps: JsonObject[][] = [[]];
  for (const part of parts)
    if (part['type'] === 'step-start') steps.push([]);
    else steps.at(-1)?.push(part);
  return steps
    .filter((step) => step.length > 0)
    .flatMap((step) => [
      { role: message['role'], content: step.flatMap((part) => (isToolPart(part) ? callIn(part) : part)) },
      { role: 'tool', content: step.flatMap((part) => (isToolPart(part) ? resultIn(part) : [])) },
    ])
    .filter(({ content }) => content.length > 0);
}

/** Whether a part is a call: its type has the tool's name, or it has the type of all tools that are not known beforehand. */
export function isToolPart(part: JsonObject): boolean {
  const type = nameOf(part['type']);
  if (type === 'tool-invocation') return isObject(part['toolInvocation']);
  return typeof part['state'] === 'string' && (type === 'dynamic-tool' || type.startsWith('tool-'));
}

function factsOf(part: JsonObject): JsonObject {
  return isObject(part['toolInvocation']) ? part['toolInvocation'] : part;
}

function callIn(part: JsonObject): JsonObject[] {
  const { state, toolCallId, toolName, input, rawInput, args } = factsOf(part);
  if (unfinished.has(nameOf(state))) return [];
  const name = toolName ?? nameOf(part['type']).slice('tool-'.length);
  return [{ type: 'tool-call', toolCallId, toolName: name, input: input ?? rawInput ?? args ?? {} }];
}

function resultIn(part: JsonObject): JsonObject[] {
  const { state, toolCallId, output, result, errorText, approval, preliminary } = factsOf(part);
  const isError = failed.has(nameOf(state));
  const isOver = isError || state === 'output-available' || state === 'result';
  if (!isOver || preliminary === true) return [];
  const given = errorText ?? output ?? result ?? objectOf(approval)['reason'] ?? '';
  return [{ type: 'tool-result', toolCallId, result: given, isError }];
}
