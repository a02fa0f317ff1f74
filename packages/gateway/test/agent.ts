import { type ApiRequest, type ModelOutput, modelReply } from '@loopwatch/testkit';
import type { ChatCompletion, ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import type { GatewayBench, Script, Session } from './harness.ts';

const model = 'gpt-5-mini';
const tools = ['read_file', 'grep', 'get_weather', 'search'].map((name) => ({
  type: 'function' as const,
  function: { name, parameters: { type: 'object', properties: {} } },
}));

/** A model that always makes the same call. */
export const calls =
  (name: string, args: unknown = { path: 'src/cart.ts' }): Script =>
  (request) =>
    modelReply(request, { calls: [{ name, args }] });

/** A model with a list of replies; the last one repeats. */
export const says =
  (...answers: readonly ModelOutput[]): Script =>
  (request, index) =>
    modelReply(request, answers[Math.min(index, answers.length - 1)] ?? {});

/** A reply as the client reads it. */
export interface Got {
  readonly text: string | null;
  readonly calls: readonly string[];
  readonly finish: string;
}

/** A typical agent: keeps the whole history, runs each call, asks again. */
export class Agent {
  readonly messages: ChatCompletionMessageParam[];
  readonly #bench: GatewayBench;
  readonly #stream: boolean;
  readonly #session: Session;
  result = 'ok';
  /** Usage of the last reply, as the API reports it. */
  usage: unknown;

  constructor(bench: GatewayBench, stream: boolean, session: Session = 's-1', prompt = 'Fix the rounding') {
    this.#bench = bench;
    this.#stream = stream;
    this.#session = session;
    this.messages = [{ role: 'user', content: prompt }];
  }

  /** Asks the model once, and runs its calls. */
  async turn(more: object = {}): Promise<Got> {
    const { message, finish, usage } = await ask(
      this.#bench,
      this.#stream,
      this.#session,
      this.messages,
      more,
    );
    this.usage = usage;
    this.messages.push(message);
    const made = (message.tool_calls ?? []).flatMap((call) => (call.type === 'function' ? [call] : []));
    for (const call of made)
      this.messages.push({ role: 'tool', tool_call_id: call.id, content: this.result });
    return {
      text: message.content,
      calls: made.map(({ function: { name, arguments: args } }) => `${name} ${args}`),
      finish,
    };
  }

  async turns(count: number): Promise<Got[]> {
    const got: Got[] = [];
    for (let i = 0; i < count; i += 1) got.push(await this.turn());
    return got;
  }
}

export async function ask(
  bench: GatewayBench,
  stream: boolean,
  session: Session,
  messages: readonly ChatCompletionMessageParam[],
  more: object = {},
): Promise<{ message: ChatCompletion['choices'][0]['message']; finish: string; usage: unknown }> {
  const body = { model, messages: [...messages], tools, ...more };
  const client = bench.openai(session);
  const completion = stream
    ? await client.chat.completions
        .stream({ ...body, stream_options: { include_usage: true } })
        .finalChatCompletion()
    : await client.chat.completions.create(body);
  const [choice] = completion.choices;
  if (choice === undefined) throw new Error('a reply without choices');
  return { message: choice.message, finish: choice.finish_reason, usage: completion.usage };
}

export const sent = (request: ApiRequest | undefined) =>
  request?.json['messages'] as Record<string, unknown>[];
