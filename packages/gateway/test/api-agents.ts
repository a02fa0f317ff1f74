import type { MessageParam, ToolResultBlockParam } from '@anthropic-ai/sdk/resources/messages';
import type { Content, GenerateContentResponse } from '@google/genai';
import type {
  ResponseInput,
  ResponseStreamEvent,
  Response as ResponsesAnswer,
} from 'openai/resources/responses/responses';
import { Agent, type Got } from './agent.ts';
import type { GatewayBench, Session } from './harness.ts';

/** An agent on one of the APIs: asks the model, runs what it calls, asks again. */
export interface ApiAgent {
  /** What each tool answers. */
  result: string;
  /** What the last answer used, as the API reports it. */
  readonly usage: unknown;
  turn(): Promise<Got>;
  turns(count: number): Promise<Got[]>;
  /** A new request of the user, for the next turn. */
  say(text: string): void;
  /** Keeps of the history the last call with its result, behind another message. @param ends answers without a call at its end */
  cut(prompt: string, ends: number): void;
}

/** What each API calls its ends. */
export interface ApiCase {
  readonly name: string;
  readonly calling: string;
  readonly finished: string;
  readonly error: string;
  readonly limited: string;
  /** Text of the request's last tool result, as the upstream gets it. */
  readonly lastResult: (request: Readonly<Record<string, unknown>>) => string;
  readonly noChoice: unknown;
  /** Key of the tool choice in a request. */
  readonly choiceKey?: string;
  readonly agent: (bench: GatewayBench, stream: boolean, session: Session, prompt: string) => ApiAgent;
}

const model = 'm-1';
const schema = { type: 'object' as const, properties: {} };
const names = ['read_file', 'grep'];

/** Of what follows the first message, the last two are left: a call and its result. */
function cutTo<M>(messages: M[], first: M, ends: number): void {
  const kept = messages.slice(1, messages.length - ends).slice(-2);
  messages.splice(0, messages.length, first, ...kept);
}

abstract class Turns {
  result = 'ok';
  usage: unknown;
  abstract turn(): Promise<Got>;

  async turns(count: number): Promise<Got[]> {
    const got: Got[] = [];
    for (let i = 0; i < count; i += 1) got.push(await this.turn());
    return got;
  }
}

class ChatAgent extends Agent implements ApiAgent {
  say(text: string): void {
    this.messages.push({ role: 'user', content: text });
  }

  cut(prompt: string, ends: number): void {
    cutTo(this.messages, { role: 'user', content: prompt }, ends);
  }
}

class MessagesAgent extends Turns implements ApiAgent {
  readonly #messages: MessageParam[];
  readonly #bench: GatewayBench;
  readonly #stream: boolean;
  readonly #session: Session;

  constructor(bench: GatewayBench, stream: boolean, session: Session, prompt: string) {
    super();
    this.#bench = bench;
    this.#stream = stream;
    this.#session = session;
    this.#messages = [{ role: 'user', content: prompt }];
  }

  say(text: string): void {
    this.#messages.push({ role: 'user', content: text });
  }

  cut(prompt: string, ends: number): void {
    cutTo(this.#messages, { role: 'user', content: prompt }, ends);
  }

  async turn(): Promise<Got> {
    const tools = names.map((name) => ({ name, input_schema: schema }));
    const body = { model, max_tokens: 1000, messages: this.#messages, tools };
    const client = this.#bench.anthropic(this.#session);
    const message = this.#stream
      ? await client.messages.stream(body).finalMessage()
      : await client.messages.create(body);
    this.usage = message.usage;
    this.#messages.push({ role: 'assistant', content: message.content });
    const uses = message.content.flatMap((block) => (block.type === 'tool_use' ? [block] : []));
    const results = uses.map(
      ({ id }): ToolResultBlockParam => ({ type: 'tool_result', tool_use_id: id, content: this.result }),
    );
    if (results.length > 0) this.#messages.push({ role: 'user', content: results });
    const text = message.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
    return {
      text: text === '' ? null : text,
      calls: uses.map(({ name, input }) => `${name} ${JSON.stringify(input)}`),
      finish: String(message.stop_reason),
    };
  }
}

/** Sends the whole history again, or goes on from the answer before. */
class ResponsesAgent extends Turns implements ApiAgent {
  #input: ResponseInput;
  #previous: string | undefined;
  readonly #chained: boolean;
  readonly #bench: GatewayBench;
  readonly #stream: boolean;
  readonly #session: Session;

  constructor(bench: GatewayBench, stream: boolean, session: Session, prompt: string, chained: boolean) {
    super();
    this.#bench = bench;
    this.#stream = stream;
    this.#session = session;
    this.#chained = chained;
    this.#input = [{ role: 'user', content: prompt }];
  }

  say(text: string): void {
    this.#input.push({ role: 'user', content: text });
  }

  cut(prompt: string, ends: number): void {
    cutTo(this.#input, { role: 'user', content: prompt }, ends);
  }

  async turn(): Promise<Got> {
    const tools = names.map((name) => ({
      type: 'function' as const,
      name,
      parameters: schema,
      strict: false,
    }));
    const body = {
      model,
      tools,
      input: this.#input,
      ...(this.#previous !== undefined && { previous_response_id: this.#previous }),
    };
    const client = this.#bench.openai(this.#chained ? null : this.#session);
    const answer: ResponsesAnswer = this.#stream
      ? await lastOf(await client.responses.create({ ...body, stream: true }))
      : await client.responses.create(body);
    this.usage = answer.usage;
    const text = answer.output
      .flatMap((item) => (item.type === 'message' ? item.content : []))
      .map((part) => (part.type === 'output_text' ? part.text : ''))
      .join('');
    const calls = answer.output.flatMap((item) => (item.type === 'function_call' ? [item] : []));
    const outputs = calls.map(({ call_id }) => ({
      type: 'function_call_output' as const,
      call_id,
      output: this.result,
    }));
    if (this.#chained) {
      this.#previous = answer.id;
      this.#input = outputs;
    } else this.#input = [...this.#input, ...(answer.output as ResponseInput), ...outputs];
    return {
      text: text === '' ? null : text,
      calls: calls.map(({ name, arguments: args }) => `${name} ${args}`),
      finish: answer.incomplete_details?.reason ?? (calls.length > 0 ? 'calls' : String(answer.status)),
    };
  }
}

/** The response that a stream ends with; what was streamed has to be what it holds. */
async function lastOf(events: AsyncIterable<ResponseStreamEvent>): Promise<ResponsesAnswer> {
  let streamed = '';
  let sequence = -1;
  for await (const event of events) {
    if (event.type === 'error') throw new Error(event.message);
    if (event.sequence_number !== sequence + 1)
      throw new Error(`event ${String(event.sequence_number)} is out of order`);
    sequence = event.sequence_number;
    if (event.type === 'response.output_text.delta') streamed += event.delta;
    if (event.type !== 'response.completed' && event.type !== 'response.incomplete') continue;
    const items = event.response.output.flatMap((item) => (item.type === 'message' ? item.content : []));
    const whole = items.map((part) => (part.type === 'output_text' ? part.text : '')).join('');
    if (whole !== streamed) throw new Error(`streamed ${streamed}, but the response says ${whole}`);
    return event.response;
  }
  throw new Error('a stream without an end');
}

class GeminiAgent extends Turns implements ApiAgent {
  readonly #contents: Content[];
  readonly #bench: GatewayBench;
  readonly #stream: boolean;
  readonly #session: Session;
  readonly #isArray: boolean;

  constructor(bench: GatewayBench, stream: boolean, session: Session, prompt: string, isArray: boolean) {
    super();
    this.#bench = bench;
    this.#stream = stream;
    this.#session = session;
    this.#isArray = isArray;
    this.#contents = [{ role: 'user', parts: [{ text: prompt }] }];
  }

  say(text: string): void {
    this.#contents.push({ role: 'user', parts: [{ text }] });
  }

  cut(prompt: string, ends: number): void {
    cutTo(this.#contents, { role: 'user', parts: [{ text: prompt }] }, ends);
  }

  async turn(): Promise<Got> {
    const records = await this.#ask();
    const parts = records.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
    this.usage = records.at(-1)?.usageMetadata;
    this.#contents.push({ role: 'model', parts });
    const calls = parts.flatMap(({ functionCall }) => functionCall ?? []);
    const responses = calls.map(({ name = '' }) => ({
      functionResponse: { name, response: this.#response },
    }));
    if (responses.length > 0) this.#contents.push({ role: 'user', parts: responses });
    const text = parts.map((part) => part.text ?? '').join('');
    return {
      text: text === '' ? null : text,
      calls: calls.map(({ name, args }) => `${name ?? ''} ${JSON.stringify(args)}`),
      finish: calls.length > 0 ? 'calls' : String(records.at(-1)?.candidates?.[0]?.finishReason),
    };
  }

  get #response(): Record<string, unknown> {
    return this.result.startsWith('{')
      ? (JSON.parse(this.result) as Record<string, unknown>)
      : { output: this.result };
  }

  async #ask(): Promise<GenerateContentResponse[]> {
    const tools = [{ functionDeclarations: names.map((name) => ({ name })) }];
    const body = { model, contents: this.#contents, config: { tools } };
    const { models } = this.#bench.gemini(this.#session);
    if (!this.#stream) return [await models.generateContent(body)];
    if (this.#isArray) return this.#askForArray(tools);
    const records: GenerateContentResponse[] = [];
    for await (const record of await models.generateContentStream(body)) records.push(record);
    return records;
  }

  /** The official client only asks for server-sent events. */
  async #askForArray(tools: unknown): Promise<GenerateContentResponse[]> {
    const session = typeof this.#session === 'string' ? { 'x-session-id': this.#session } : {};
    const response = await fetch(`${this.#bench.url}/v1beta/models/${model}:streamGenerateContent`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...session },
      body: JSON.stringify({ contents: this.#contents, tools }),
    });
    const answer: unknown = await response.json();
    if (!Array.isArray(answer)) throw new Error(JSON.stringify(answer));
    const failed = answer.find((each: object) => 'error' in each) as object | undefined;
    if (failed !== undefined) throw new Error(JSON.stringify(failed));
    return answer as GenerateContentResponse[];
  }
}

type Block = Readonly<Record<string, unknown>>;
const lastOutput = ({ input }: Readonly<Record<string, unknown>>) =>
  String((input as Block[]).findLast(({ output }) => output !== undefined)?.['output']);
const responses = {
  calling: 'calls',
  finished: 'completed',
  error: 'completed',
  limited: 'completed',
  lastResult: lastOutput,
  noChoice: 'none',
};

const gemini = {
  calling: 'calls',
  finished: 'STOP',
  error: 'STOP',
  limited: 'STOP',
  lastResult: ({ contents }: Readonly<Record<string, unknown>>) => {
    const parts = (contents as Content[]).flatMap((content) => content.parts ?? []);
    return JSON.stringify(parts.findLast((part) => part.functionResponse)?.functionResponse?.response);
  },
  noChoice: { functionCallingConfig: { mode: 'NONE' } },
  choiceKey: 'toolConfig',
};

export const apiCases: readonly ApiCase[] = [
  {
    name: 'Chat Completions',
    calling: 'tool_calls',
    finished: 'stop',
    error: 'error',
    limited: 'max_turn_requests',
    lastResult: ({ messages }) =>
      String((messages as Block[]).findLast(({ role }) => role === 'tool')?.['content']),
    noChoice: 'none',
    agent: (...given) => new ChatAgent(...given),
  },
  {
    name: 'Messages',
    calling: 'tool_use',
    finished: 'end_turn',
    error: 'end_turn',
    limited: 'max_turn_requests',
    lastResult: ({ messages }) => {
      const blocks = (messages as Block[]).flatMap(({ content }) =>
        Array.isArray(content) ? (content as Block[]) : [],
      );
      return String(blocks.findLast(({ type }) => type === 'tool_result')?.['content']);
    },
    noChoice: { type: 'none' },
    agent: (...given) => new MessagesAgent(...given),
  },
  { name: 'Responses', ...responses, agent: (...given) => new ResponsesAgent(...given, false) },
  {
    name: 'Responses that go on from each other',
    ...responses,
    agent: (...given) => new ResponsesAgent(...given, true),
  },
  { name: 'Gemini', ...gemini, agent: (...given) => new GeminiAgent(...given, false) },
  { name: 'Gemini, as a JSON array', ...gemini, agent: (...given) => new GeminiAgent(...given, true) },
];
