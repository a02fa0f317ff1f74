import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { topicNames } from '@loopwatch/contract';
import { resolveSettings } from '@loopwatch/contract/internal';
import type { OutputRecord, RecordSink } from '@loopwatch/log';
import {
  type ApiReply,
  type ApiRequest,
  type ScriptedUpstream,
  startScriptedUpstream,
} from '@loopwatch/testkit';
import OpenAI from 'openai';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { Gateway, type GatewayDeps } from '../src/index.ts';

export const topics = topicNames({ prefix: 'test.' });
/** Must not appear in any log line or record. */
export const secretKey = 'sk-test-abcdef0123456789abcdef0123456789';

/** A log line. */
export interface LogLine extends Record<string, unknown> {
  readonly level: string;
  readonly msg: string;
}

/** Keeps published records; rejects while `down`. */
export class MemorySink implements RecordSink {
  readonly records: OutputRecord[] = [];
  down: Error | undefined;

  open(): Promise<void> {
    return this.down === undefined ? Promise.resolve() : Promise.reject(this.down);
  }

  publish(records: readonly OutputRecord[]): Promise<void> {
    if (this.down !== undefined) return Promise.reject(this.down);
    this.records.push(...records);
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** The session of a client: the value of `x-session-id`, or headers; null for none. */
export type Session = string | Readonly<Record<string, string>> | null;

export type Script = (request: ApiRequest, index: number) => ApiReply | Promise<ApiReply>;

/** A gateway on a free port with a scripted upstream, and everything they record. */
export class GatewayBench implements AsyncDisposable {
  readonly upstream: ScriptedUpstream;
  readonly gateway: Gateway;
  readonly lines: LogLine[];
  readonly sink: MemorySink;
  readonly registry: Registry;
  readonly clock: { now: number };
  readonly url: string;

  private constructor(
    parts: Pick<GatewayBench, 'upstream' | 'gateway' | 'lines' | 'sink' | 'registry' | 'clock' | 'url'>,
  ) {
    this.upstream = parts.upstream;
    this.gateway = parts.gateway;
    this.lines = parts.lines;
    this.sink = parts.sink;
    this.registry = parts.registry;
    this.clock = parts.clock;
    this.url = parts.url;
  }

  /** @param flags settings by dotted path */
  static async start(
    script: Script,
    flags: Readonly<Record<string, unknown>> = {},
    environment: Readonly<Record<string, string>> = {},
  ): Promise<GatewayBench> {
    const upstream = await startScriptedUpstream(script);
    return this.before(upstream, flags, environment);
  }

  /** Starts a gateway in front of an existing upstream. */
  static async before(
    upstream: ScriptedUpstream,
    flags: Readonly<Record<string, unknown>> = {},
    environment: Readonly<Record<string, string>> = {},
    more: Partial<GatewayDeps> = {},
  ): Promise<GatewayBench> {
    const resolved = resolveSettings({
      environment,
      flags: {
        'gateway.upstream': upstream.url,
        'gateway.port': 0,
        'gateway.drain_seconds': 1,
        preset: 'proxy',
        ...flags,
      },
    });
    if (!resolved.ok) throw new Error(resolved.errors.join('\n'));
    const lines: LogLine[] = [];
    const logger = pino(
      { level: 'debug', base: null, timestamp: false, formatters: { level: (label) => ({ level: label }) } },
      { write: (line: string) => lines.push(JSON.parse(line) as LogLine) },
    );
    const sink = new MemorySink();
    const registry = new Registry();
    const clock = { now: 1_763_757_600_000 };
    const now = () => clock.now;
    const { settings } = resolved;
    const gateway = new Gateway({ settings, topics, sink, registry, logger, now, ...more });
    const { port } = await gateway.start();
    return new GatewayBench({
      upstream,
      gateway,
      lines,
      sink,
      registry,
      clock,
      url: `http://127.0.0.1:${String(port)}`,
    });
  }

  openai(session?: Session): OpenAI {
    return new OpenAI({
      apiKey: secretKey,
      baseURL: `${this.url}/v1`,
      maxRetries: 0,
      defaultHeaders: headersOf(session),
    });
  }

  anthropic(session?: Session): Anthropic {
    return new Anthropic({
      apiKey: secretKey,
      baseURL: this.url,
      maxRetries: 0,
      defaultHeaders: headersOf(session),
    });
  }

  gemini(session?: Session): GoogleGenAI {
    return new GoogleGenAI({
      apiKey: secretKey,
      httpOptions: { baseUrl: this.url, headers: headersOf(session) },
    });
  }

  /** Log lines at these levels, as `LEVEL text`. */
  texts(...levels: readonly string[]): string[] {
    return this.lines
      .filter(({ level }) => levels.includes(level))
      .map(({ level, msg }) => `${level} ${msg}`);
  }

  get events(): Record<string, unknown>[] {
    return this.sink.records.filter(({ topic }) => topic === topics.events).map(valueOf);
  }

  get verdicts(): Record<string, unknown>[] {
    return this.sink.records.filter(({ topic }) => topic === topics.verdicts).map(valueOf);
  }

  /** Stops the gateway, which writes buffered records. */
  async stop(): Promise<void> {
    await this.gateway.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.gateway.stop();
    await this.upstream[Symbol.asyncDispose]();
  }
}

function headersOf(session: Session | undefined): Record<string, string> {
  return typeof session === 'string' ? { 'x-session-id': session } : { ...session };
}

function valueOf({ value }: OutputRecord): Record<string, unknown> {
  return JSON.parse(String(value)) as Record<string, unknown>;
}
