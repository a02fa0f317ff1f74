import { prose } from '../prose.ts';
import { agentSteps, type Step } from './steps.ts';

/** How the upstream sends an answer. */
export type AnswerMode =
  /** The first event at once, the others a few milliseconds later. */
  | 'paced'
  /** Each event by itself, as models generate them, but without pause. */
  | 'tokens'
  /** All events in one write, as after a queue on the way. */
  | 'burst'
  /** One JSON document. */
  | 'whole';

/** An agent's conversation. Each request repeats the one before it, and adds the reply and the results of its calls. */
export interface Conversation {
  /** The first request's number of steps. */
  readonly from: number;
  /** The number of further requests, each with one more step. */
  readonly length: number;
  /** The body of a request, in pieces. @param tag makes the session's first message different from other sessions' */
  body(step: number, tag: string, isStream: boolean): readonly Buffer[];
  /** Messages in a request. */
  messages(step: number): number;
}

const CONVERSATIONS = 8;
const SYSTEM_UNITS = 8_000;
const TOOLS = 16;
/** Units per event of a streamed text, about one token. */
const TOKEN_UNITS = 5;
const PIECES = 50;

const { steps: allSteps, source } = agentSteps();
export const stepSource = source;

/** The steps of a conversation: the same in all processes. */
function stepsOf(conversation: number): (index: number) => Step {
  const offset = Math.floor((conversation % CONVERSATIONS) * (allSteps.length / CONVERSATIONS));
  return (index) => allSteps[(offset + index) % allSteps.length] as Step;
}

const system = message({ role: 'system', content: prose(SYSTEM_UNITS, 3) });
const tools = Array.from({ length: TOOLS }, (_, i) => ({
  type: 'function',
  function: {
    name: `tool_${String(i)}`,
    description: prose(400, i),
    parameters: {
      type: 'object',
      properties: Object.fromEntries(
        ['path', 'query', 'limit', 'mode'].map((name) => [
          name,
          { type: 'string', description: prose(80, i + name.length) },
        ]),
      ),
      required: ['path'],
    },
  },
}));
const tail = (isStream: boolean): string =>
  `],"tools":${JSON.stringify(tools)},"temperature":0.2,"stream":${String(isStream)}${isStream ? ',"stream_options":{"include_usage":true}' : ''}}`;
const tails = { stream: Buffer.from(tail(true)), whole: Buffer.from(tail(false)) };

/** @param messages the average number of messages in a request */
export function conversation(n: number, messages: number): Conversation {
  const stepAt = stepsOf(n);
  const texts: string[] = [];
  /** Bytes and messages after each step. */
  const ends = [{ bytes: 0, messages: 2 }];
  let bytes = 0;
  let count = 2;
  const spread = Math.min(20, messages - 2);
  for (let i = 0; count < messages + spread; i += 1) {
    const added = messagesOf(stepAt(i));
    const text = added.map((one) => `,${message(one)}`).join('');
    texts.push(text);
    bytes += Buffer.byteLength(text);
    count += added.length;
    ends.push({ bytes, messages: count });
  }
  const history = Buffer.from(texts.join(''));
  const from = ends.findIndex((end) => end.messages >= messages - spread);
  return {
    from,
    length: ends.length - 1 - from,
    body(step, tag, isStream) {
      const user = message({ role: 'user', content: `Session ${tag}: ${prose(300, n)}` });
      const head = Buffer.from(`{"model":"gpt-5-mini","messages":[${system},${user}`);
      return [head, history.subarray(0, ends[step]?.bytes), isStream ? tails.stream : tails.whole];
    },
    messages: (step) => ends[step]?.messages ?? 0,
  };
}

/** A made-up conversation of one short question per request. */
export function smallConversation(): Conversation {
  return {
    from: 0,
    length: 20,
    body: (step, tag, isStream) => [
      Buffer.from(
        JSON.stringify({
          model: 'gpt-5-mini',
          stream: isStream,
          messages: [
            { role: 'system', content: 'You are a careful engineer.' },
            { role: 'user', content: `Question ${tag}-${String(step)}: what does this do?` },
          ],
        }),
      ),
    ],
    messages: () => 2,
  };
}

/** The answer to a request, as the pieces of its body. @param conversation -1 for the small one */
export function answer(conversation: number, step: number, isStream: boolean): readonly string[] {
  if (conversation === -1) return isStream ? smallEvents() : [whole({ text: prose(50 * 7), calls: [] })];
  const given = stepsOf(conversation)(step);
  return isStream ? events(given) : [whole(given)];
}

function message(value: object): string {
  return JSON.stringify(value);
}

function messagesOf(step: Step): object[] {
  const results = step.calls.map(({ id, result }) => ({ role: 'tool', tool_call_id: id, content: result }));
  return [assistant(step), ...results];
}

function assistant({ text, calls }: Step): object {
  const made = calls.map(({ id, name, args }) => ({
    id,
    type: 'function',
    function: { name, arguments: args },
  }));
  return {
    role: 'assistant',
    content: text === '' ? null : text,
    ...(made.length > 0 && { tool_calls: made }),
  };
}

const head = { id: 'chatcmpl-1', created: 1_763_757_600, model: 'gpt-5-mini-2025-08-07' };
const usage = { prompt_tokens: 12_345, completion_tokens: 67, total_tokens: 12_412 };

function whole(step: Step): string {
  const choice = {
    index: 0,
    message: assistant(step),
    logprobs: null,
    finish_reason: finishReason(step),
  };
  return JSON.stringify({ ...head, object: 'chat.completion', choices: [choice], usage });
}

function finishReason({ calls }: Step): string {
  return calls.length > 0 ? 'tool_calls' : 'stop';
}

function events(step: Step): string[] {
  const calls = step.calls.flatMap(({ id, name, args }, index) => [
    event({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
    ...tokens(args).map((part) => event({ tool_calls: [{ index, function: { arguments: part } }] })),
  ]);
  return [
    event({ role: 'assistant', content: '' }),
    ...tokens(step.text).map((content) => event({ content })),
    ...calls,
    event({}, finishReason(step)),
    data({ ...head, object: 'chat.completion.chunk', choices: [], usage }),
    'data: [DONE]\n\n',
  ];
}

function smallEvents(): string[] {
  const pieces = Array.from({ length: PIECES }, (_, i) => event({ content: `word${String(i)} ` }));
  return [...pieces, event({}, 'stop'), 'data: [DONE]\n\n'];
}

function event(delta: object, finish: string | null = null): string {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: finish }];
  return data({ ...head, object: 'chat.completion.chunk', choices });
}

function data(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

function tokens(text: string): string[] {
  return Array.from({ length: Math.ceil(text.length / TOKEN_UNITS) }, (_, i) =>
    text.slice(i * TOKEN_UNITS, (i + 1) * TOKEN_UNITS),
  );
}
