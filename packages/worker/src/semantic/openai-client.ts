import type { Settings } from '@loopwatch/contract';
import { judgeAnswerForm } from '@loopwatch/detectors';
import type { ClientOptions, OpenAI } from 'openai';
import type { JudgeRequest } from './ask-judge.ts';
import type { ModelAnswer, ModelClient } from './limited-judge.ts';
import { tracedClient } from './traced-client.ts';

/** Response formats, the strictest first. Not every server supports all of them. */
const responseFormats = [
  {
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'loop_review', strict: true, schema: judgeAnswerForm },
    },
  },
  { response_format: { type: 'json_object' } },
  {},
] as const;
/** HTTP statuses with which servers reject an unsupported format. */
const FORMAT_REJECTIONS = new Set<unknown>([400, 404, 415, 422, 501]);

const DEFAULT_URL = 'https://api.openai.com/v1';

/** A client for the configured model; undefined if none is configured. */
export function modelClient(llm: Settings['llm']): ModelClient | undefined {
  const { model, base_url: url, api_key: key } = llm;
  if (model === undefined || (url === undefined && key === undefined)) return undefined;
  return tracedClient(new OpenAiClient({ ...llm, model }), url ?? DEFAULT_URL);
}

/** Asks a model behind an OpenAI-compatible API. */
class OpenAiClient implements ModelClient {
  readonly model: string;
  readonly secondModel: string | null;
  readonly #llm: Settings['llm'];
  #client: OpenAI | undefined;
  /** Index of the response format in use, by model: one address may serve several. */
  readonly #format = new Map<string, number>();

  constructor(llm: Settings['llm'] & { readonly model: string }) {
    this.#llm = llm;
    this.model = llm.model;
    this.secondModel = llm.second_model ?? null;
  }

  async ask({ messages, second }: JudgeRequest, signal: AbortSignal): Promise<ModelAnswer> {
    // Loaded on first use: most workers have no model.
    const { default: OpenAI, APIError } = await import('openai');
    this.#client ??= new OpenAI(clientOptions(this.#llm));
    const model = second ? (this.secondModel ?? this.model) : this.model;
    for (let format = this.#format.get(model) ?? 0; ; format += 1) {
      try {
        const answer = await this.#client.chat.completions.create(
          {
            model,
            messages: [...messages],
            stream: false,
            ...structuredClone(responseFormats[format] ?? {}),
          },
          { signal },
        );
        this.#format.set(model, format);
        const { usage } = answer;
        return {
          text: answer.choices[0]?.message.content ?? '',
          tokens: usage ? { input: usage.prompt_tokens, output: usage.completion_tokens } : null,
        };
      } catch (error) {
        // The client itself reports only a connection error.
        if (error instanceof Error && error.cause instanceof ModelFetchError) throw error.cause;
        const refused = error instanceof APIError && FORMAT_REJECTIONS.has(error.status);
        if (!refused || format === responseFormats.length - 1) throw error;
      }
    }
  }
}

/** Every option is set, so that the client reads nothing from the environment of other tools. */
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

/** Far more than any answer needs; longer responses are rejected. */
export const MAX_ANSWER_BYTES = 1_048_576;

/** A response that was rejected before its content was read. */
class ModelFetchError extends Error {}

/**
 * `fetch` for a model's API. It follows no redirects, because key and prompt are meant for the configured address alone,
 * and limits the size of the response.
 */
async function modelFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, { ...init, redirect: 'manual' });
  const { status, statusText, headers, body } = response;
  if (status >= 300 && status < 400) {
    await body?.cancel();
    throw new ModelFetchError(
      `the model's API answered with a redirect (${String(status)} to ${headers.get('location') ?? 'nowhere'}), which is not followed; set llm.base_url to the final address`,
    );
  }
  return new Response(body?.pipeThrough(atMost(MAX_ANSWER_BYTES)) ?? null, { status, statusText, headers });
}

function atMost(limit: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes > limit)
        controller.error(new ModelFetchError(`the model's answer is larger than ${String(limit)} bytes`));
      else controller.enqueue(chunk);
    },
  });
}
