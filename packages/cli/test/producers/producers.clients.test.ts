import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  freePort,
  modelReply,
  type ScriptedUpstream,
  spawnCli,
  startScriptedUpstream,
  tempDir,
  waitFor,
} from '@loopwatch/testkit';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';

/** How often each producer's agent calls its tool, with the same arguments and the same result. */
const CALLS = 6;

const javascript = new URL('./otlp-spans.ts', import.meta.url);
const python = new URL('./otlp_spans.py', import.meta.url);
const aiSdk = new URL('./vercel-ai.ts', import.meta.url);
const litellm = new URL('./litellm_agent.py', import.meta.url);

interface Producer {
  readonly name: string;
  /** An application that uses the producer's package; its arguments are a URL, a session, `calls`, and `more`. */
  readonly script: URL;
  readonly more: () => readonly string[];
  /** The turns that it reports; tool spans alone have none. */
  readonly turns: number;
}

const producers: readonly Producer[] = [
  { name: 'OpenTelemetry for JavaScript, protobuf', script: javascript, more: () => ['protobuf'], turns: 0 },
  { name: 'OpenTelemetry for JavaScript, JSON', script: javascript, more: () => ['json'], turns: 0 },
  {
    name: 'OpenTelemetry for JavaScript, gRPC',
    script: javascript,
    more: () => ['grpc', grpcUrl],
    turns: 0,
  },
  { name: 'OpenTelemetry for Python', script: python, more: () => ['none'], turns: 0 },
  { name: 'OpenTelemetry for Python, gzip', script: python, more: () => ['gzip'], turns: 0 },
  { name: 'AI SDK, generateText', script: aiSdk, more: () => [model.url, 'whole'], turns: CALLS + 1 },
  { name: 'AI SDK, streamText', script: aiSdk, more: () => [model.url, 'streamed'], turns: CALLS + 1 },
  { name: 'LiteLLM, generic API callback', script: litellm, more: () => [model.url], turns: CALLS + 1 },
];

interface Session {
  readonly sessionId: string;
  readonly turns: number;
  readonly toolCalls: number;
  readonly incidents: { readonly total: number };
}

let url: string;
let grpcUrl: string;
let model: ScriptedUpstream;
const started: AsyncDisposable[] = [];

beforeAll(async () => {
  const folder = await tempDir();
  started.push(folder);
  model = await startScriptedUpstream((request) => {
    const messages = request.json['messages'] as { role: string }[];
    const results = messages.filter(({ role }) => role === 'tool').length;
    const call = { name: 'read_file', args: { path: 'a' } };
    return modelReply(request, results < CALLS ? { text: 'Let me look.', calls: [call] } : { text: 'Done.' });
  });
  started.unshift(model);
  const args = ['start', '--port', '0', '--data-dir', folder.path, '--no-samples'];
  const grpcPort = String(await freePort());
  grpcUrl = `http://localhost:${grpcPort}`;
  const env = { KAFKA_BROKERS: '', DATABASE_URL: '', LOOPWATCH_SERVER_OTLP_GRPC_PORT: grpcPort };
  // Only the published command shows that a module that it loads on demand is in it.
  const cli = spawnCli(args, env, { from: 'build' });
  started.unshift(cli);
  const line = await cli.line(/Loopwatch .* is at http/);
  url = /http:[^\s"]+/.exec(line)?.[0] ?? '';
});

afterAll(async () => {
  for (const each of started) await each[Symbol.asyncDispose]();
});

it.each(producers)(
  '$name: the dashboard shows the session with its loop',
  async ({ name, script, more, turns }) => {
    await run(script, [url, name, String(CALLS), ...more()]);
    let sessions: Session[] = [];
    const session = await waitFor(
      async () => {
        ({ items: sessions } = await get<{ items: Session[] }>('/sessions'));
        return sessions.find(
          (each) =>
            each.sessionId === name &&
            each.toolCalls >= CALLS &&
            each.turns >= turns &&
            each.incidents.total > 0,
        );
      },
      { describe: () => `session ${name}; there are ${JSON.stringify(sessions)}` },
    );
    expect(session).toMatchObject({ turns, toolCalls: CALLS, incidents: { total: 1 } });
    const { items } = await waitFor(
      async () => {
        const page = await get<{ items: object[] }>(`/incidents?sessionId=${encodeURIComponent(name)}`);
        return page.items.length > 0 && page;
      },
      { describe: `the incident of session ${name}` },
    );
    expect(items).toMatchObject([{ detector: 'tool-repeat', tool: { name: 'read_file' } }]);
  },
);

/** @throws Error with its output when it fails or writes to stderr */
async function run(script: URL, args: readonly string[]): Promise<void> {
  const file = fileURLToPath(script);
  const [command, ...before] = file.endsWith('.py')
    ? [inject('clientsPython'), file]
    : [process.execPath, '--import', 'tsx', file];
  const env = {
    PATH: process.env['PATH'],
    PYTHONDONTWRITEBYTECODE: '1',
    // Otherwise LiteLLM downloads its prices.
    LITELLM_LOCAL_MODEL_COST_MAP: 'True',
  };
  const { stderr } = await promisify(execFile)(command, [...before, ...args], { env });
  expect(stderr).toBe('');
}

async function get<T>(path: string): Promise<T> {
  const response = await fetch(`${url}/api/v1${path}`);
  expect(response.status).toBe(200);
  return (await response.json()) as T;
}
