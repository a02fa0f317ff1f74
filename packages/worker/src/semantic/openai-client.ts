import type { Settings } from '@loopwatch/contract';
import { judgeAnswerForm } from '@loopwatch/detectors';
import type { JudgeRequest } from '@loopwatch/pipeline';
import type { ClientOptions, OpenAI } from 'openai';
import type { ModelAnswer, ModelClient } from './limited-judge.ts';
import { ModelFetchError, modelFetch } from './model-fetch.ts';

/** How the form of the answer is asked for, the strictest first. Not every server knows all of them. */
const formats = [
  {
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'loop_review', strict: true, schema: judgeAnswerForm },
    },
  },
  { response_format: { type: 'json_object' } },
  {},
] as const;
/** What servers say to a format that they do not know. */
const REFUSALS = new Set<unknown>([400, 404, 415, 422, 501]);

const DEFAULT_URL = 'https://api.openai.com/v1';

/** A client of the configured model; undefined where none is configured. */
export function modelClient(llm: Settings['llm']): ModelClient | undefined {
  const { model, base_url: url, api_key: key } = llm;
  if (model === undefined || (url === undefined && key === undefined)) return undefined;
  return new OpenAiClient({ ...llm, model });
}

/** Asks a model behind an API that speaks like OpenAI's. */
class OpenAiClient implements ModelClient {
  readonly model: string;
  readonly secondModel: string | null;
  private readonly llm: Settings['llm'];
  private client: OpenAI | undefined;
  /** Index of the format that is asked for; by model, since a gateway may have several. */
  private readonly format = new Map<string, number>();

  constructor(llm: Settings['llm'] & { readonly model: string }) {
    this.llm = llm;
    this.model = llm.model;
    this.secondModel = llm.second_model ?? null;
  }

  async ask({ messages, second }: JudgeRequest, signal: AbortSignal): Promise<ModelAnswer> {
    // Loaded with the first question: most workers have no model to ask.
    const { default: OpenAI, APIError } = await import('openai');
    this.client ??= new OpenAI(clientOptions(this.llm));
    const model = second ? (this.secondModel ?? this.model) : this.model;
    for (let format = this.format.get(model) ?? 0; ; format += 1) {
      try {
        const answer = await this.client.chat.completions.create(
          { model, messages: [...messages], stream: false, ...structuredClone(formats[format] ?? {}) },
          { signal },
        );
        this.format.set(model, format);
        const { usage } = answer;
        return {
          text: answer.choices[0]?.message.content ?? '',
          tokens: usage ? { input: usage.prompt_tokens, output: usage.completion_tokens } : null,
        };
      } catch (error) {
        // The client says no more than that the connection failed.
        if (error instanceof Error && error.cause instanceof ModelFetchError) throw error.cause;
        const refused = error instanceof APIError && REFUSALS.has(error.status);
        if (!refused || format === formats.length - 1) throw error;
      }
    }
  }
}

/** Everything is given, so that nothing of another tool's environment is sent to this server. */
function clientOptions(llm: Settings['llm']): ClientOptions {
  return {
    baseURL: llm.base_url ?? DEFAULT_URL,
    apiKey: llm.api_key ?? 'none',
    organization: null,
    project: null,
    maxRetries: 0,
    logLevel: 'off',
    fetch: modelFetch,
  };
}
