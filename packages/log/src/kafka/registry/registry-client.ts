import { backoff, messageOf } from '@loopwatch/contract';
import { delay, type LogFunction } from '@loopwatch/platform';
import * as z from 'zod';
import { LogError } from '../../port/errors.ts';
import { askService, isTransient } from '../http/ask-service.ts';

/** Where schemas come from. */
export interface SchemaRegistryOptions {
  /** Of the Confluent API, `/subjects` and `/schemas` excluded. */
  readonly url: string;
  readonly login?: { readonly username: string; readonly password: string };
}

export interface RetryOptions {
  /** For how long requests are repeated; default: 5 s. */
  readonly forMs?: number;
  /** For tests: monotonic clock, ms. */
  readonly now?: () => number;
  /** For tests. */
  readonly wait?: (ms: number) => Promise<void>;
}

const schemaSchema = z.object({
  schema: z.string(),
  schemaType: z.string().default('AVRO'),
  references: z
    .array(z.object({ name: z.string(), subject: z.string(), version: z.int() }))
    .nullish()
    .transform((list) => list ?? []),
});

/** A schema as the registry stores it. */
export type RegisteredSchema = z.infer<typeof schemaSchema>;

const errorSchema = z.object({ error_code: z.int(), message: z.string().default('') });

const ANSWER_MS = 4_000;
/** Less than a partition may take to close. */
const RETRY_FOR_MS = 5_000;

/** Reads schemas by the REST API of Confluent's registry, which Apicurio, Karapace and Redpanda have too. */
export class RegistryClient {
  readonly #url: string;
  readonly #login: SchemaRegistryOptions['login'];
  readonly #log: LogFunction | undefined;
  readonly #retryForMs: number;
  readonly #now: () => number;
  readonly #wait: (ms: number) => Promise<void>;
  #isFailing = false;

  constructor({ url, login }: SchemaRegistryOptions, log?: LogFunction, retry: RetryOptions = {}) {
    this.#url = url.replace(/\/$/, '');
    this.#login = login;
    this.#log = log;
    this.#retryForMs = retry.forMs ?? RETRY_FOR_MS;
    this.#now = retry.now ?? (() => performance.now());
    this.#wait = retry.wait ?? delay;
  }

  /** @returns undefined if the registry does not know the id @throws LogError `registry_unavailable` */
  schema(id: number): Promise<RegisteredSchema | undefined> {
    return this.#get(`/schemas/ids/${String(id)}`);
  }

  /** @returns undefined if the registry does not know it @throws LogError `registry_unavailable` */
  version(subject: string, version: number | 'latest'): Promise<RegisteredSchema | undefined> {
    return this.#get(`/subjects/${encodeURIComponent(subject)}/versions/${String(version)}`);
  }

  async #get(path: string): Promise<RegisteredSchema | undefined> {
    const began = this.#now();
    for (let attempt = 0; ; attempt += 1) {
      try {
        const schema = await this.#request(path);
        this.#answered();
        return schema;
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        if (error.isFinal || this.#now() - began >= this.#retryForMs) throw this.#failed(error);
        await this.#wait(backoff(attempt, 100, 2_000));
      }
    }
  }

  async #request(path: string): Promise<RegisteredSchema | undefined> {
    const { username, password } = this.#login ?? {};
    const login = Buffer.from(`${username ?? ''}:${password ?? ''}`).toString('base64');
    const request = {
      headers: {
        accept: 'application/vnd.schemaregistry.v1+json, application/json',
        ...(username !== undefined && { authorization: `Basic ${login}` }),
      },
    };
    const { status, json } = await askService(this.#url + path, request, ANSWER_MS).catch(
      (error: unknown) => {
        throw new Refusal(`${messageOf(error)}. Check that it runs at kafka.schema_registry.url`, false);
      },
    );
    const problem = errorSchema.safeParse(json).data;
    // 40403 and its like are about the schema; a plain 404 says that nothing is at this URL.
    if (status === 404 && problem !== undefined && problem.error_code > 404) return undefined;
    if (status !== 200) throw refusalOf(status, problem?.message ?? '');
    const schema = schemaSchema.safeParse(json);
    if (schema.success) return schema.data;
    throw new Refusal(
      'its answer is not that of a schema registry. Check kafka.schema_registry.url, which ends before /schemas',
      true,
    );
  }

  #failed({ message }: Refusal): LogError {
    const text = `The schema registry at ${this.#url} is not available: ${message}`;
    if (!this.#isFailing) this.#log?.('warn', `${text}. Sources wait for it and lose nothing`, {});
    this.#isFailing = true;
    return new LogError('registry_unavailable', text);
  }

  #answered(): void {
    if (this.#isFailing) this.#log?.('info', `The schema registry at ${this.#url} is available again`, {});
    this.#isFailing = false;
  }
}

/** Why there is no schema, without the full stop. */
class Refusal extends Error {
  override readonly name = 'Refusal';
  /** Whether the same request would fail again at once. */
  readonly isFinal: boolean;

  constructor(message: string, isFinal: boolean) {
    super(message);
    this.isFinal = isFinal;
  }
}

function refusalOf(status: number, detail: string): Refusal {
  const isFinal = !isTransient(status);
  const setting = status === 401 || status === 403 ? 'username and password' : 'url';
  const said = detail === '' ? '' : ` (${detail.slice(0, 300)})`;
  const advice = isFinal ? `. Check kafka.schema_registry.${setting}` : '';
  return new Refusal(`it answered with status ${String(status)}${said}${advice}`, isFinal);
}
