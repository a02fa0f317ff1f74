import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { type CliProcess, freePort, spawnCli, type TempDir, tempDir, waitFor } from '@loopwatch/testkit';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { commandFile, samplesDir } from '../../src/runtime/installation.ts';

const TOKEN = 'a-token-of-the-mcp-tests-0123456789';
const SESSION = 's-checkout-rounding';
/** Longer than the data of any request that a client of this protocol sends as a whole. */
const HUGE = 'x'.repeat(30_000_000);

type Json = Record<string, unknown>;
interface Result {
  readonly structuredContent: Json;
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text: string }[];
}

let dir: TempDir;
let loopwatch: CliProcess;
let url = '';

/** A recorded session, as if its last event happened now: a loop in history is not open. */
function sampleNow(file: string): Json[] {
  const lines = readFileSync(join(samplesDir, `${file}.events.jsonl`), 'utf8')
    .trim()
    .split('\n');
  const events = lines.map((line) => JSON.parse(line) as Json & { time: number });
  const later = Date.now() - (events.at(-1)?.time ?? 0);
  return events.map((event) => ({ ...event, time: event.time + later }));
}

async function api(path: string, init: RequestInit = {}): Promise<Json> {
  const headers = { authorization: `Bearer ${TOKEN}` };
  return (await (await fetch(`${url}/api/v1${path}`, { ...init, headers })).json()) as Json;
}

beforeAll(async () => {
  dir = await tempDir();
  const port = String(await freePort());
  loopwatch = spawnCli(['start', '--no-samples', '--port', port, '--data-dir', dir.path], {
    LOOPWATCH_API_TOKEN: TOKEN,
  });
  await loopwatch.line(/Loopwatch .* is at http/);
  url = `http://127.0.0.1:${port}`;
  // The recorded loop, without its end.
  const looping = sampleNow('tool-repeat-read-file').filter(({ type }) => type !== 'session_ended');
  for (const events of [looping, sampleNow('paging')])
    await api('/events', { method: 'POST', body: JSON.stringify(events) });
  await waitFor(async () => (await api('/incidents?open=true'))['total'] === 1);
  await waitFor(async () => (await api('/sessions'))['total'] === 2);
});

afterAll(async () => {
  await loopwatch.stop('SIGKILL');
  await dir.remove();
});

async function connected(transport: StdioClientTransport | StreamableHTTPClientTransport): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  onTestFinished(() => client.close());
  await client.connect(transport);
  return client;
}

const overStdio = (args = ['--server', url], env: Record<string, string> = { LOOPWATCH_API_TOKEN: TOKEN }) =>
  connected(
    new StdioClientTransport({
      command: process.execPath,
      args: [commandFile, 'mcp', ...args],
      env: { PATH: process.env['PATH'] ?? '', ...env },
    }),
  );

/** `loopwatch mcp --http` on a free port. @returns its address */
async function listening(): Promise<string> {
  const mcp = spawnCli(['mcp', '--http', '--port', '0', '--server', url], { LOOPWATCH_API_TOKEN: TOKEN });
  onTestFinished(async () => {
    expect(await mcp.stop()).toBe(0);
  });
  const [address = ''] = /http:\S+$/.exec(await mcp.line(/is at http/)) ?? [];
  return address;
}

async function overHttp(): Promise<Client> {
  return connected(new StreamableHTTPClientTransport(new URL(await listening())));
}

async function call(client: Client, name: string, args: Json): Promise<Result> {
  return (await client.callTool({ name, arguments: args })) as unknown as Result;
}

const textOf = ({ content }: Result) => content.map(({ text }) => text).join('\n');

describe.each([
  ['stdio', () => overStdio()],
  ['streamable HTTP', overHttp],
])('over %s', (over, connect) => {
  it(`${over}: lists tools that only read, with schemas of what they take and return`, async () => {
    const client = await connect();
    expect(client.getServerVersion()).toMatchObject({ name: 'loopwatch' });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'check_for_loop',
      'list_incidents',
      'explain_incident',
      'session_cost',
    ]);
    for (const { annotations, description, inputSchema, outputSchema } of tools) {
      expect(annotations).toMatchObject({ readOnlyHint: true });
      expect(description?.length).toBeGreaterThan(100);
      expect(Object.keys(inputSchema.properties ?? {})).not.toEqual([]);
      expect(outputSchema).toMatchObject({ type: 'object' });
    }
  });

  it(`${over}: from an open incident to its reason, evidence and remedies`, async () => {
    const client = await connect();
    const listed = await call(client, 'list_incidents', { tool: 'read_file' });
    expect(listed.structuredContent).toMatchObject({
      total: 1,
      incidents: [
        { session: SESSION, detector: 'tool-repeat', state: 'open', agent: 'coder', tool: 'read_file' },
      ],
    });
    const [incident] = listed.structuredContent['incidents'] as Json[];
    expect(textOf(listed)).toContain(`1 open incident.\n- ${String(incident?.['id'])}: `);

    const explained = await call(client, 'explain_incident', { id: incident?.['id'] });
    expect(explained.structuredContent).toMatchObject({ ...incident, threshold: 3, resolution: null });
    expect(textOf(explained)).toMatch(/What repeats:\n- read_file \{.*\} -> ok: .* \(7 times\)\n/);
    expect(textOf(explained)).toMatch(/settings would have prevented it:\n- /);
    expect(explained.structuredContent['remedies']).not.toEqual([]);
    expect(incident?.['url']).toBe(`${url}/incidents/${String(incident?.['id'])}`);
  });

  it(`${over}: what a session costs, by its id and by words of its prompt`, async () => {
    const client = await connect();
    const byId = await call(client, 'session_cost', { session: SESSION });
    const byWords = await call(client, 'session_cost', { text: 'one cent off' });
    expect(byWords.structuredContent).toEqual(byId.structuredContent);
    const stored = await api(`/sessions/${SESSION}`);
    const [{ wasted } = {}] = stored['incidentItems'] as { readonly wasted?: Json }[];
    expect(byId.structuredContent).toMatchObject({
      total: 1,
      sessions: [
        {
          session: SESSION,
          tokens: stored['tokens'],
          usd: stored['usd'],
          incidents: { open: 1, total: 1 },
          wasted: { calls: 7, tokens: wasted?.['tokens'], usd: wasted?.['usd'] },
        },
      ],
    });
    expect(textOf(byId)).toMatch(/\$0\.\d+, .* input and .* output tokens, 1 prompt/);
    expect(await call(client, 'session_cost', { text: 'no such words' })).toMatchObject({
      structuredContent: { total: 0, sessions: [] },
      content: [{ text: 'No session matches "no such words".' }],
    });
  });
});

it('check_for_loop: answers for a session that the server watches', async () => {
  const client = await overStdio();
  const looping = await call(client, 'check_for_loop', { session: SESSION });
  expect(looping.structuredContent).toMatchObject({ looping: true, loops: [{ detector: 'tool-repeat' }] });
  expect(textOf(looping)).toMatch(/^Yes, in session s-checkout-rounding:\n- /);
  const paging = sampleNow('paging')[0]?.['sessionId'];
  expect(await call(client, 'check_for_loop', { session: paging })).toMatchObject({
    structuredContent: { looping: false, loops: [] },
  });
});

describe('check_for_loop: judges the calls of the agent that asks, without a server', () => {
  const noServer = ['--server', 'http://127.0.0.1:9'];
  const read = { name: 'read_file', arguments: { path: 'a.ts' }, result: 'the same text' };
  it.each([
    ['the same call again and again', Array.from({ length: 6 }, () => read), ['tool-repeat']],
    [
      'two steps in turn',
      Array.from({ length: 12 }, (_, at) => ({
        name: at % 2 === 0 ? 'edit' : 'test',
        arguments: {},
        result: 'ok',
      })),
      ['tool-cycle'],
    ],
    [
      'different calls',
      Array.from({ length: 12 }, (_, at) => ({
        ...read,
        arguments: { path: `${String(at)}.ts` },
        result: `${at} x`,
      })),
      [],
    ],
    [
      'an outage, which is no loop',
      Array.from({ length: 4 }, () => ({ ...read, result: '503 Service Unavailable', isError: true })),
      ['outage'],
    ],
    [
      'a loop that is over',
      [...Array.from({ length: 6 }, () => read), { name: 'list_files', result: 'b.ts' }],
      [],
    ],
  ])('%s', async (_, calls, detectors) => {
    const client = await overStdio(noServer, {});
    const { structuredContent } = await call(client, 'check_for_loop', { calls });
    expect((structuredContent['loops'] as Json[]).map(({ detector }) => detector)).toEqual(detectors);
    expect(structuredContent['looping']).toBe(detectors.some((detector) => detector !== 'outage'));
  });
});

it('stdio: answers lines that are no messages, and serves the next one', async () => {
  await using mcp = spawnCli(['mcp', '--server', url]);
  const ping = '{"jsonrpc":"2.0","id":7,"method":"ping"}';
  mcp.write(`{broken\n[]\nnull\n${ping}\n`);
  expect(await mcp.exited).toBe(0);
  const answers = mcp.stdout.map((line) => JSON.parse(line) as Json);
  expect(answers).toMatchObject([
    { jsonrpc: '2.0', id: null, error: { code: -32_700 } },
    { jsonrpc: '2.0', id: null, error: { code: -32_600 } },
    { jsonrpc: '2.0', id: null, error: { code: -32_600 } },
    { id: 7, result: {} },
  ]);
});

describe('errors: say what is wrong and how to correct it', () => {
  it.each<
    [
      what: string,
      args: string[] | undefined,
      env: Record<string, string> | undefined,
      tool: string,
      given: Json,
      message: RegExp,
    ]
  >([
    [
      'no server',
      ['--server', 'http://127.0.0.1:9'],
      {},
      'list_incidents',
      {},
      /^No Loopwatch server answers at http:\/\/127\.0\.0\.1:9: .*\. Start it, or pass --server\.$/,
    ],
    [
      'no token',
      undefined,
      {},
      'list_incidents',
      {},
      /answers 401: log in with a token: set LOOPWATCH_API_TOKEN/,
    ],
    [
      'an unknown incident',
      undefined,
      undefined,
      'explain_incident',
      { id: 'i-none' },
      /404: Incident i-none not found; retention may have deleted it/,
    ],
    [
      'an unknown session',
      undefined,
      undefined,
      'check_for_loop',
      { session: 's-none' },
      /404: Session s-none not found/,
    ],
    [
      'neither calls nor a session',
      undefined,
      undefined,
      'check_for_loop',
      {},
      /^Pass either calls, .*, or session, /,
    ],
    [
      'both an id and words',
      undefined,
      undefined,
      'session_cost',
      { session: 's', text: 't' },
      /^Pass either session, .*, or text, /,
    ],
    ['an unknown detector', undefined, undefined, 'list_incidents', { detector: 'none' }, /detector/],
    [
      'arguments of a call under another name',
      undefined,
      undefined,
      'check_for_loop',
      { calls: Array.from({ length: 5 }, (_, at) => ({ name: 'read', args: { at } })) },
      /Unrecognized key: "args"/,
    ],
    [
      'a session under another name',
      undefined,
      undefined,
      'list_incidents',
      { sessionId: 's' },
      /Unrecognized key: "sessionId"/,
    ],
  ])('%s', async (_, args, env, tool, given, message) => {
    const result = await call(await overStdio(args, env), tool, given);
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(message);
  });

  it('--port without --http: is refused', async () => {
    await using cli = spawnCli(['mcp', '--port', '4700']);
    expect(await cli.exited).toBe(2);
    expect(cli.stderr).toEqual(['--port needs --http: without it, nothing listens']);
  });
});

it('--http: says how to choose another port', async () => {
  const { port } = new URL(await listening());
  await using cli = spawnCli(['mcp', '--http', '--port', port]);
  expect(await cli.exited).toBe(2);
  expect(cli.stderr).toEqual([
    `Port ${port} is in use. Stop the process that uses it, or choose another port with --port.`,
  ]);
});

describe('streamable HTTP: only programs of this machine are served', () => {
  /** By hand, because `fetch` sets both headers itself. @returns the status */
  async function post(address: string, headers: Record<string, string>, body: string): Promise<number> {
    return new Promise((resolve, reject) => {
      const types = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
      const sent = request(address, { method: 'POST', headers: { ...types, ...headers } }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      sent.on('error', reject).end(body);
    });
  }
  const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });

  it('refuses web pages, by Host and Origin, and other methods', async () => {
    const address = await listening();
    const { host, port } = new URL(address);
    expect(await post(address, {}, ping)).toBe(200);
    expect(await post(address, { origin: `http://${host}` }, ping)).toBe(200);
    expect(await post(address, { host: `localhost:${port}` }, ping)).toBe(200);
    expect(await post(address, { host: `rebound.example:${port}` }, ping)).toBe(403);
    expect(await post(address, { origin: 'https://pages.example' }, ping)).toBe(403);
    expect(await post(address, { origin: 'null' }, ping)).toBe(403);
    expect(await post(address, { origin: 'http://localhost.pages.example' }, ping)).toBe(403);
    expect(await post(address, {}, 'not json')).toBe(400);
    expect(await post(address, {}, JSON.stringify(HUGE))).toBe(413);
    expect((await fetch(address)).status).toBe(405);
    // It still serves.
    expect(await post(address, {}, ping)).toBe(200);
  });
});
