import { pathToFileURL } from 'node:url';
import type { ModelRequest, ModelUsage } from './model-server.ts';
import { smallModelFiles } from './small-model-files.ts';

/** Answer of the model and its token usage. */
export interface Completion {
  readonly text: string;
  readonly usage: ModelUsage;
}

export interface SmallModel extends AsyncDisposable {
  /** Answers requests one at a time. */
  complete(body: ModelRequest['body']): Promise<Completion>;
}

const CONTEXT_TOKENS = 4096;
const ANSWER_TOKENS = 160;
const MAX_STRING = 100;

type Schema = Readonly<Record<string, unknown>>;
interface Tokens {
  readonly usedInputTokens: number;
  readonly usedOutputTokens: number;
}
interface Sequence {
  readonly tokenMeter: { getState(): Tokens };
}
interface Context {
  getSequence(): Sequence;
}
interface Llama {
  loadModel(options: { modelPath: string }): Promise<{ createContext(options: object): Promise<Context> }>;
  createGrammarForJsonSchema(schema: Schema): Promise<unknown>;
  getGrammarFor(name: 'json'): Promise<unknown>;
  dispose(): Promise<void>;
}
interface ChatSession {
  prompt(text: string, options: object): Promise<string>;
  dispose(options: { disposeSequence: boolean }): void;
}
/** The parts of node-llama-cpp in use; the project does not depend on it, so its types cannot be imported. */
interface Runtime {
  readonly getLlama: (options: object) => Promise<Llama>;
  readonly LlamaChatSession: new (options: {
    contextSequence: Sequence;
    systemPrompt: string;
  }) => ChatSession;
}

/**
 * A real language model on this machine's processor, small enough for tests: its answers have the requested
 * format but make little sense.
 *
 * @throws Error naming what is missing and how to install it.
 */
export async function loadSmallModel(): Promise<SmallModel> {
  const { weights, runtime } = await smallModelFiles();
  const { getLlama, LlamaChatSession } = (await import(pathToFileURL(runtime).href)) as Runtime;
  const llama = await getLlama({ gpu: false, build: 'never', skipDownload: true, logLevel: 'error' });
  const model = await llama.loadModel({ modelPath: weights });
  const context = await model.createContext({ contextSize: CONTEXT_TOKENS, threads: 2 });
  const contextSequence = context.getSequence();

  const answer = async ({ messages, response_format: format }: ModelRequest['body']): Promise<Completion> => {
    const messageOf = (role: string): string =>
      messages.flatMap((message) => (message.role === role ? [message.content] : [])).join('\n');
    const schema = format?.json_schema?.schema;
    const json = format?.type === 'json_object' ? await llama.getGrammarFor('json') : undefined;
    const grammar = schema === undefined ? json : await llama.createGrammarForJsonSchema(withinReach(schema));
    const session = new LlamaChatSession({ contextSequence, systemPrompt: messageOf('system') });
    const before = contextSequence.tokenMeter.getState();
    const text = await session.prompt(messageOf('user'), {
      grammar,
      maxTokens: ANSWER_TOKENS,
      temperature: 0,
    });
    const after = contextSequence.tokenMeter.getState();
    session.dispose({ disposeSequence: false });
    return {
      text,
      usage: {
        promptTokens: after.usedInputTokens - before.usedInputTokens,
        completionTokens: after.usedOutputTokens - before.usedOutputTokens,
      },
    };
  };

  let last: Promise<unknown> = Promise.resolve();
  return {
    complete: (body) => {
      const next = last.then(() => answer(body));
      last = next.catch(() => undefined);
      return next;
    },
    [Symbol.asyncDispose]: async () => {
      await last;
      await llama.dispose();
    },
  };
}

/**
 * A schema that such a small model can satisfy: strings are short, and a number is one of 0, 0.05 … 1, because a grammar
 * cannot express a range.
 */
function withinReach(schema: Schema): Schema {
  if (schema.type === 'string') return { ...schema, maxLength: MAX_STRING };
  if (schema.type === 'number') return { enum: Array.from({ length: 21 }, (_, step) => step / 20) };
  const { properties } = schema;
  if (typeof properties !== 'object' || properties === null) return schema;
  const reachable = Object.entries(properties).map(([name, property]) => [
    name,
    withinReach(property as Schema),
  ]);
  return { ...schema, properties: Object.fromEntries(reachable) as Schema };
}
