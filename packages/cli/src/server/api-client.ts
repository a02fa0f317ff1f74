import { messageOf } from '@loopwatch/contract';
import { problemSchema } from '@loopwatch/contract/api';
import { errorsText, plainErrors } from '@loopwatch/contract/internal';
import { Option } from 'commander';
import type * as z from 'zod';
import { UsageError } from '../errors.ts';

/** Where a command finds its server. */
export interface ServerOptions {
  readonly server: string;
  readonly tokenEnv: string;
}

/** The option of every command that asks a running server. */
export const serverOptions: readonly Option[] = [
  new Option('--server <url>', 'address of the Loopwatch server').default('http://localhost:4600'),
  new Option('--token-env <name>', 'environment variable that holds a token of the server').default(
    'LOOPWATCH_API_TOKEN',
  ),
];

/** A running server cannot be reached, or refuses a request; the message says what to do. */
export class ServerError extends Error {
  override readonly name = 'ServerError';
}

/** Calls the API of a running server. The token comes from the environment, never from an argument that others can see. */
export class ApiClient {
  readonly #base: URL;
  readonly #token: string | undefined;
  readonly #tokenEnv: string;

  /** @throws UsageError for a bad address */
  constructor({ server, tokenEnv }: ServerOptions, env: NodeJS.ProcessEnv = process.env) {
    if (!URL.canParse(server) || !/^https?:/.test(server))
      throw new UsageError(`--server ${server}: expected an address such as http://localhost:4600`);
    this.#base = new URL(`${server.replace(/(?<!\/)\/+$/, '')}/`);
    this.#tokenEnv = tokenEnv;
    this.#token = env[tokenEnv]?.trim() === '' ? undefined : env[tokenEnv]?.trim();
  }

  /** The address of a page of the dashboard. */
  pageUrl(path: string): string {
    return new URL(path.replace(/^\//, ''), this.#base).href;
  }

  /** As {@link request}, for an answer that must match the schema. */
  async read<T>(schema: z.ZodType<T>, method: string, path: string, body?: object): Promise<T> {
    const parsed = schema.safeParse(await this.request(method, path, body), plainErrors);
    if (parsed.success) return parsed.data;
    throw new ServerError(
      `Unexpected answer from ${method} ${path}: ${errorsText(parsed.error)}. The server may run another version: install the same as its own.`,
    );
  }

  /** @param path below `/api/v1` @throws ServerError */
  async request(method: string, path: string, body?: object): Promise<unknown> {
    const url = new URL(`api/v1${path}`, this.#base);
    let response: Response;
    let text: string;
    try {
      response = await fetch(url, {
        method,
        redirect: 'manual',
        headers: {
          accept: 'application/json',
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(this.#token !== undefined && { authorization: `Bearer ${this.#token}` }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      text = await response.text();
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      throw new ServerError(
        `No Loopwatch server answers at ${this.#base.origin}: ${messageOf(cause)}. Start it, or pass --server.`,
      );
    }
    if (response.ok) return text === '' ? undefined : this.#parse(text, response);
    throw new ServerError(
      `${this.#base.origin} answers ${String(response.status)}: ${this.#why(response.status, text)}`,
    );
  }

  #parse(text: string, { status, headers }: Response): unknown {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      const what = /html/i.test(headers.get('content-type') ?? '') ? 'HTML' : 'something other than JSON';
      throw new ServerError(
        `No Loopwatch server at ${this.#base.origin}: it answered ${what} (status ${String(status)}). Pass its address with --server.`,
      );
    }
  }

  #why(status: number, text: string): string {
    if (status === 401) {
      const fault =
        this.#token === undefined ? 'log in with a token' : `it rejects the token in ${this.#tokenEnv}`;
      return `${fault}: set ${this.#tokenEnv} to one of the server's tokens, or name another variable with --token-env`;
    }
    try {
      const { title, detail } = problemSchema.parse(JSON.parse(text));
      return detail ?? title;
    } catch {
      return 'this is not a Loopwatch server, or a proxy in front of it refuses the request';
    }
  }
}
