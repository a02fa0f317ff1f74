import { isObject, type JsonObject, listOf, nameOf, objectOf, unwrapped } from '../record/json.ts';
import type { AssistantMessage, Message, ToolResult } from '../record/message.ts';
import type { Signal } from '../record/signal.ts';
import { joined, messagesFrom } from '../wire/messages.ts';
import { chatThought } from '../wire/openai-chat.ts';
import { eventAttribute, messageName, nested } from './otlp-json.ts';
import { messagesOf } from './traced-runs.ts';

/** The messages sent to the model. */
export function inputOf(span: Signal): Message[] {
  const { attributes: a, logged } = span;
  // What is left in the attributes lacks content.
  const held =
    (logged === undefined ? undefined : messagesInEvents(span)) ??
    calledByGoogle(a) ??
    nested(a, 'gen_ai.input.messages') ??
    detail(span, 'gen_ai.input.messages') ??
    nested(a, 'llm.input_messages') ??
    nested(a, 'gen_ai.prompt') ??
    nested(a, 'ai.prompt.messages') ??
    objectOf(unwrapped(a['gcp.vertex.agent.llm_request']))['contents'] ??
    messagesInEvents(span);
  const observed =
    heldIn(a, 'langfuse.observation.input', 'mlflow.spanInputs', 'request_data', 'gen_ai.prompt') ??
    unwrapped(eventAttribute(span, 'gen_ai.content.prompt', 'gen_ai.prompt'));
  if (listOf(held).length === 0 && observed !== undefined)
    // A text is what the user asked, not an answer.
    return typeof observed === 'string' ? [{ role: 'user', text: observed }] : messagesOf(observed);
  return turnsFrom(listOf(held).flatMap(byModel));
}

/** Google's GenAI SDK calls functions itself; OpenInference has one span for all of its requests, whose answer holds them. */
function calledByGoogle(a: JsonObject): unknown {
  const { automatic_function_calling_history: history } = objectOf(unwrapped(a['output.value']));
  const list = listOf(history).map((content) => ({ role: 'user', ...objectOf(content) }));
  return list.length === 0 ? undefined : list;
}

/** Gemini CLI names the model's role like that of instructions; smolagents describes results in texts. */
function byModel(value: unknown): unknown[] {
  const item = objectOf(objectOf(value)['message'] ?? value);
  if (item['role'] === 'tool-response') return [nothing];
  const parts = listOf(item['parts']);
  if (parts.some((part) => writtenText(part) !== undefined)) {
    const read = parts.map((part) => ({
      ...objectOf(part),
      content: writtenText(part) ?? objectOf(part)['content'],
    }));
    // Its calls and their results are left out.
    return [{ ...item, parts: read }, nothing];
  }
  const isCalling = parts.some((part) => objectOf(part)['type'] === 'tool_call');
  return [item['role'] === 'system' && isCalling ? { ...item, role: 'assistant' } : value];
}

/** The result of calls that a history leaves out. */
const nothing = { role: 'tool', content: '' };

/** How Python writes a part of a response. */
const writtenPart = /^\{(?=.*'type': 'output_text').*?'text': (?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")/s;

/** OpenTelemetry's instrumentation of OpenAI's agents: histories have texts as Python writes the parts around them. */
function writtenText(part: unknown): string | undefined {
  const [, single, double] = writtenPart.exec(nameOf(objectOf(part)['content'])) ?? [];
  return (single ?? double)?.replace(/\\(.)/gs, (_, char: string) => (char === 'n' ? '\n' : char));
}

/** What a platform records as a whole, in the first of these attributes; of others than Langfuse, not plain text. */
function heldIn(a: JsonObject, observed: string, ...names: readonly string[]): unknown {
  return (
    unwrapped(a[observed]) ??
    names.map((name) => unwrapped(a[name])).find((value) => isObject(value) || Array.isArray(value))
  );
}

/** The messages; text and calls of one response can be messages of their own. */
function turnsFrom(list: readonly unknown[]): Message[] {
  const turns: Message[] = [];
  for (const message of messagesFrom(list)) {
    const last = turns.at(-1);
    if (message.role === 'assistant' && last?.role === 'assistant')
      turns[turns.length - 1] = joined(last, message);
    else if (message.role === 'tool' && last?.role === 'tool')
      turns[turns.length - 1] = { ...last, results: [...last.results, ...othersIn(message, last)] };
    else turns.push(message);
  }
  return turns.map(withoutNothing).map((turn, i) => withIdsOfResults(turn, turns[i + 1]));
}

/** Haystack by OpenInference records that there are results, but not which. */
function withoutNothing(turn: Message): Message {
  if (turn.role !== 'tool') return turn;
  const isGiven = ({ id, result }: ToolResult) => id !== null || (result !== undefined && result !== '');
  return { ...turn, results: turn.results.filter(isGiven) };
}

/** Bedrock's instrumentation has a result twice: as the message of a tool and in that of the user. */
function othersIn({ results }: ToolMessage, before: ToolMessage): readonly ToolResult[] {
  const known = new Set(before.results.map(({ id }) => id));
  return results.filter(({ id }) => id === null || !known.has(id));
}

type ToolMessage = Extract<Message, { role: 'tool' }>;

/** OpenLLMetry of the OpenAI Agents SDK names calls of a history by the ids of their items, and results by those of their calls. */
function withIdsOfResults(turn: Message, next: Message | undefined): Message {
  if (turn.role !== 'assistant' || next?.role !== 'tool') return turn;
  const calls = new Set(turn.calls.map(({ id }) => id));
  const results = new Set(next.results.map(({ id }) => id));
  const other = [...results].filter((id) => !calls.has(id));
  if (other.length !== [...calls].filter((id) => !results.has(id)).length) return turn;
  return {
    ...turn,
    calls: turn.calls.map((call) =>
      results.has(call.id) ? call : { ...call, id: other.shift() ?? call.id },
    ),
  };
}

/** The response of the model. */
export function outputOf(span: Signal): Message[] {
  const { attributes: a, logged } = span;
  const held =
    (logged === undefined ? undefined : answerInEvents(span)) ??
    nested(a, 'gen_ai.output.messages') ??
    detail(span, 'gen_ai.output.messages') ??
    nested(a, 'llm.output_messages') ??
    nested(a, 'gen_ai.completion') ??
    answerOfAiSdk(a) ??
    answerOfAdk(a) ??
    answerInEvents(span);
  const content = unwrapped(eventAttribute(span, 'gen_ai.content.completion', 'gen_ai.completion'));
  const observed =
    heldIn(a, 'langfuse.observation.output', 'mlflow.spanOutputs', 'response_data', 'gen_ai.completion') ??
    (Array.isArray(content) ? undefined : content);
  if (listOf(held).length === 0 && observed !== undefined) return messagesOf(observed);
  const answers = answersIn(listOf(held).length === 0 ? listOf(content) : listOf(held));
  return withCallsBeside(turnsFrom(answers), a).map((turn) =>
    turn.role === 'assistant' && turn.thought === undefined ? withRawThought(turn, a) : turn,
  );
}

/** LiteLLM: the messages leave out the calls, which are in the attributes of an older convention. */
function withCallsBeside(turns: readonly Message[], a: JsonObject): readonly Message[] {
  const callsOf = (list: readonly Message[]) =>
    list.flatMap((turn) => (turn.role === 'assistant' ? turn.calls : []));
  if (!('gen_ai.output.messages' in a) || callsOf(turns).length > 0) return turns;
  const calls = callsOf(turnsFrom(answersIn(listOf(nested(a, 'gen_ai.completion')))));
  const last = turns.at(-1);
  if (calls.length === 0 || (last !== undefined && last.role !== 'assistant')) return turns;
  return [...turns.slice(0, -1), { role: 'assistant', ...last, calls }];
}

/** The items of a response as messages; the role may be missing, and that of a call with Bedrock's agents is the tool's. */
function answersIn(items: readonly unknown[]): JsonObject[] {
  if (items.length > 0 && items.every(isCall)) return [{ role: 'assistant', tool_calls: items }];
  return items.map((value) => {
    const item = objectOf(value);
    const message = objectOf(item['message'] ?? item);
    const calls = message['tool_calls'];
    const parts = listOf(item['parts'] ?? message['content']);
    if (parts.length > 0 && parts.every(isCall)) return { ...message, content: undefined, tool_calls: parts };
    if (message['role'] === 'tool' && calls !== undefined)
      return { role: 'assistant', tool_calls: listOf(calls).map(withoutActionGroup) };
    const hasRole = 'role' in item && item['role'] !== 'system';
    return isObject(item['message']) || hasRole ? item : { ...item, role: 'assistant' };
  });
}

/** Whether it is a call of the Chat API, as OpenLIT and Langtrace record those of an answer. */
function isCall(value: unknown): boolean {
  return isObject(objectOf(value)['function']) && !('role' in objectOf(value));
}

/** A call with Bedrock's agents; the name begins with that of the action group, unlike that of the tool. */
function withoutActionGroup(value: unknown): unknown {
  const { tool_call: call } = objectOf(value);
  const { function: inner } = objectOf(call);
  const name = nameOf(objectOf(inner)['name']).replace(/^.*?__/, '');
  return { tool_call: { ...objectOf(call), function: { ...objectOf(inner), name } } };
}

/**
 * OpenInference: of OpenAI's client and Agno, the attributes of the messages leave out reasoning and the response itself has it; of
 * smolagents, they have it after the text, which the message itself has alone.
 */
function withRawThought(turn: AssistantMessage, a: JsonObject): AssistantMessage {
  const raw = unwrapped(a['output.value']);
  const { choices, role, content } = objectOf(raw);
  const said = content ?? '';
  const { text } = turn;
  if (role === 'assistant' && typeof said === 'string' && text?.startsWith(said) && text !== said)
    return { ...turn, text: said || undefined, thought: text.slice(said.length) };
  return {
    ...turn,
    thought: chatThought(objectOf(objectOf(listOf(choices)[0])['message'] ?? listOf(raw)[0])),
  };
}

/** An attribute of the event that a span can have instead of it. */
function detail(span: Signal, attribute: string): unknown {
  return unwrapped(eventAttribute(span, 'gen_ai.client.inference.operation.details', attribute));
}

function answerOfAdk(a: JsonObject): unknown {
  const { content } = objectOf(unwrapped(a['gcp.vertex.agent.llm_response']));
  return isObject(content) ? [{ role: 'model', ...content }] : undefined;
}

/** The messages in span events, as earlier conventions have them. */
function messagesInEvents({ events }: Signal): unknown {
  return events.flatMap(({ name, attributes: { content, tool_calls: calls, id, tool_call_id: callId } }) => {
    const role = messageName.exec(name)?.[1];
    // Without content, only calls are recorded.
    if (role === undefined || (content === undefined && calls === undefined)) return [];
    const parts = unwrapped(content);
    const isBlocks = Array.isArray(parts) && parts.every(isObject);
    // Strands sends results as the user does.
    const isOfUser = isBlocks && parts.some((part) => 'toolResult' in part);
    return [
      {
        role: isOfUser ? 'user' : role,
        content: isBlocks ? parts : content,
        tool_calls: callsIn(calls),
        id: id ?? callId,
      },
    ];
  });
}

/** Calls in an event; one that leaves out the arguments is not the same as another one. */
function callsIn(value: unknown): unknown {
  return listOf(unwrapped(value)).map((call) => {
    const { id, function: inner } = objectOf(call);
    if (!isObject(inner) || 'arguments' in inner) return call;
    return { type: 'tool_call', id, name: inner['name'] };
  });
}

function answerInEvents({ events }: Signal): unknown {
  return events
    .filter(({ name }) => name === 'gen_ai.choice')
    .map(({ attributes: { message, tool_calls: calls } }) => {
      const held = unwrapped(message);
      if (isObject(held)) return { role: 'assistant', ...held, tool_calls: callsIn(held['tool_calls']) };
      return {
        role: 'assistant',
        content: Array.isArray(held) ? held : message,
        tool_calls: callsIn(calls),
      };
    });
}

function answerOfAiSdk(a: JsonObject): unknown {
  const calls = unwrapped(a['ai.response.toolCalls']);
  const text = a['ai.response.text'];
  if (text === undefined && calls === undefined) return undefined;
  return [{ role: 'assistant', content: text, tool_calls: calls, reasoning: a['ai.response.reasoning'] }];
}
