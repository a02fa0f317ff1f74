import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  freePort,
  modelReply,
  spawnCli,
  startOtlpCollector,
  startScriptedUpstream,
  tempDir,
  waitFor,
} from '@loopwatch/testkit';
import Database from 'libsql';
import { pino } from 'pino';
import { io } from 'socket.io-client';
import { expect, it, onTestFinished } from 'vitest';
import { startReceiver } from '../../server/test/notifications/receiver.ts';
import { openDatabase } from '../../storage/src/index.ts';
import { claudeLoop, folderOf } from './scan/histories.ts';
import { fileOf } from './worker-runs.ts';

/** Part of every secret of the test. */
const MARK = 'Mk9Zq7';
const secret = {
  token: `sk-proj-${MARK}aB3dE5fG7hJ9kL1`,
  password: `${MARK}-hunter2!`,
  cookie: `sid=${MARK}c00kie12345`,
  url: `postgres://bob:${MARK}pw@db.internal/app`,
  header: `x-api-key: ${MARK}8f7e6d5c4b3a`,
  env: `AWS_SECRET_ACCESS_KEY=${MARK}wJalrXUtnFEMI/K7MDENG`,
};
const everything = Object.entries(secret)
  .map(([name, value]) => `${name === 'cookie' ? 'Cookie' : name}: ${value}`)
  .join('\n');

type Event = Readonly<Record<string, unknown>>;

/** Sessions in which each detector has something to report, with secrets in all places. */
function events(): Event[] {
  const call = (sessionId: string, i: number, more: Event = {}): Event[] => {
    const callId = `${sessionId}-${String(i)}`;
    const args = {
      command: `curl -H "${secret.header}" ${secret.url}`,
      password: secret.password,
      env: secret.env,
    };
    return [
      { sessionId, type: 'turn_started', model: 'gpt-5-mini', agent: 'coder' },
      { sessionId, type: 'thought', text: `I will use ${secret.token} now. ` },
      { sessionId, type: 'tool_call_request', callId, name: 'shell', args, ...more },
      { sessionId, type: 'tool_result', callId, result: { stdout: everything, password: secret.password } },
      { sessionId, type: 'turn_finished', usage: { inputTokens: 10, outputTokens: 5 } },
    ];
  };
  const prompt = (sessionId: string): Event => ({
    sessionId,
    type: 'prompt_started',
    text: `Log in with\n${everything}`,
  });
  const many = (count: number, make: (i: number) => Event[]) =>
    Array.from({ length: count }, (_, i) => make(i)).flat();
  const text = `The answer is ${secret.token}, the password=${secret.password} and nothing more is to be said about it. `;
  return [
    prompt('repeat'),
    ...many(8, (i) => call('repeat', i)),
    prompt('cycle'),
    ...many(12, (i) =>
      call('cycle', i, { args: { command: `export ${secret.env}; step ${String(i % 2)}` } }),
    ),
    prompt('outage'),
    ...many(8, (i) => [
      {
        sessionId: 'outage',
        type: 'tool_call_request',
        callId: `o${String(i)}`,
        name: 'fetch',
        args: { n: i, token: secret.token },
      },
      {
        sessionId: 'outage',
        type: 'tool_result',
        callId: `o${String(i)}`,
        isError: true,
        result: `503 from ${secret.url}\n${everything}`,
      },
    ]),
    prompt('content'),
    ...many(120, () => [{ sessionId: 'content', type: 'content', text }]),
    ...many(120, () => [{ sessionId: 'thought', type: 'thought', text }]),
    { sessionId: 'refused', type: 'prompt_started', text: `!/set(${secret.env})` },
    { sessionId: 'refused', type: 'control', set: { [`mask.${secret.token}`]: secret.token } },
  ];
}

/** Starts everything in one process. */
async function start() {
  const dir = await tempDir();
  onTestFinished(() => dir.remove());
  const [receiver, collector] = [await startReceiver(), await startOtlpCollector()];
  onTestFinished(async () => {
    await receiver[Symbol.asyncDispose]();
    await collector[Symbol.asyncDispose]();
  });
  const upstream = await startScriptedUpstream((request) =>
    modelReply(request, {
      calls: [{ name: 'shell', args: { password: secret.password, command: secret.env } }],
    }),
  );
  onTestFinished(() => upstream[Symbol.asyncDispose]());
  const channel = (type: string, more = {}) => ({ name: type, type, url: receiver.url, ...more });
  const channels = [
    channel('webhook', { secret: 's' }),
    channel('slack'),
    { name: 'otlp', type: 'otlp', endpoint: receiver.url },
  ];
  const [port, gatewayPort] = [String(await freePort()), String(await freePort())];
  const flags = ['--no-samples', '--port', port, '--data-dir', dir.path, '--upstream', upstream.url];
  const cli = spawnCli(['start', ...flags], {
    LOOPWATCH_LOG_LEVEL: 'debug',
    LOOPWATCH_LOG_FORMAT: 'json',
    LOOPWATCH_NOTIFICATIONS: JSON.stringify(channels),
    LOOPWATCH_GATEWAY_PORT: gatewayPort,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_METRIC_EXPORT_INTERVAL: '200',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  });
  onTestFinished(async () => {
    await cli.stop('SIGKILL');
  });
  await cli.line(/Loopwatch .* is at http/);
  const [url, gateway] = [port, gatewayPort].map((number) => `http://127.0.0.1:${number}`);
  return { dir: dir.path, receiver, collector, upstream, cli, url: url ?? '', gateway: gateway ?? '' };
}

const post = async (url: string, body: unknown, headers: Record<string, string> = {}): Promise<string> =>
  (
    await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  ).text();

/** Where the mark occurs, each with what is around it. */
function leaks(outputs: ReadonlyMap<string, string>): string[] {
  return [...outputs].flatMap(([name, text]) => {
    const at = text.indexOf(MARK);
    return at < 0 ? [] : [`${name}: …${text.slice(Math.max(0, at - 80), at + 40)}…`];
  });
}

/** All that a GET of the API returns, by path. */
async function allAnswers(url: string): Promise<Map<string, string>> {
  const answers = new Map<string, string>();
  const get = async (path: string): Promise<string> => {
    const abort = AbortSignal.timeout(20_000);
    const response = await fetch(`${url}${path}`, { signal: abort });
    const text = await response.text();
    answers.set(path, text);
    return text;
  };
  interface Page {
    readonly items: readonly { readonly id?: string; readonly sessionId: string }[];
  }
  const document = JSON.parse(await get('/api/v1/openapi.json')) as { paths: Record<string, object> };
  const { items: incidents } = JSON.parse(await get('/api/v1/incidents?limit=50')) as Page;
  const { items: sessions } = JSON.parse(await get('/api/v1/sessions?limit=50')) as Page;
  const ids: Record<string, readonly (string | undefined)[]> = {
    '/incidents/': incidents.map(({ id }) => id),
    '/sessions/': sessions.map(({ sessionId }) => sessionId),
    '/settings/': ['server', 'session:refused'],
    '/notifications/': ['webhook'],
  };
  const offsetsOf = async (session: string): Promise<string[]> => {
    const page = await get(`/api/v1/sessions/${encodeURIComponent(session)}/events?limit=1000`);
    return (JSON.parse(page) as { items: { offset: string }[] }).items.map(({ offset }) => offset);
  };
  const reads = Object.entries(document.paths).filter(
    ([path, item]) => 'get' in item && !path.endsWith('/stream'),
  );
  for (const [path] of reads) {
    const kind = Object.keys(ids).find(
      (prefix) => path.startsWith(`/api/v1${prefix}{`) || path.startsWith(`${prefix}{`),
    );
    const full =
      path.startsWith('/api/') || /^\/(?:healthz|readyz|metrics)/.test(path) ? path : `/api/v1${path}`;
    for (const id of kind === undefined ? [''] : (ids[kind] ?? []))
      for (const offset of full.includes('{offset}') ? await offsetsOf(id ?? '') : [''])
        await get(
          full.replace(/\{(?:id|scope|name|key)\}/, encodeURIComponent(id ?? '')).replace('{offset}', offset),
        );
  }
  for (const page of ['/', '/incidents', '/sessions', '/sessions/repeat', '/tuning', '/status'])
    await get(page);
  return answers;
}

/** The text of all tables of the database, and of all topics of the log but those that hold what agents sent. */
async function stored(dir: string): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  const database = await openDatabase({ database_url: undefined, data_dir: dir }, pino({ level: 'silent' }));
  const tables = await database.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public'`,
  );
  for (const { name } of tables)
    texts.set(`table ${name}`, JSON.stringify(await database.query(`select * from "${name}"`)));
  await database.close();
  const log = new Database(join(dir, 'log', 'log.db'));
  const names = log.prepare(`select name from sqlite_master where type = 'table'`).all() as {
    name: string;
  }[];
  const topics = log.prepare('select id, name from topics').all() as { id: number; name: string }[];
  const raw = topics
    .filter(({ name }) => /\.(?:events|dead-letters)$/.test(name))
    .map(({ id }) => `records_${String(id)}`);
  for (const { name } of names.filter((table) => !raw.includes(table.name))) {
    const rows = log.prepare(`select * from "${name}"`).all();
    texts.set(
      `log ${name}`,
      JSON.stringify(rows, (_, value: unknown) =>
        value instanceof ArrayBuffer || Buffer.isBuffer(value)
          ? Buffer.from(value as ArrayBuffer).toString()
          : value,
      ),
    );
  }
  log.close();
  for (const file of await readdir(dir)) {
    const text = await readFile(join(dir, file), 'utf8').catch(() => '');
    texts.set(`file ${file}`, text);
  }
  return texts;
}

it('a secret in what agents send appears in none of the outputs', { timeout: 300_000 }, async () => {
  const { dir, receiver, collector, cli, url, gateway } = await start();
  const outputs = new Map<string, string>();
  const socket = io(`${url}/live`, { transports: ['websocket'] });
  const live: unknown[] = [];
  socket.onAny((...message: unknown[]) => live.push(message));
  const following = new AbortController();
  let streamed = '';
  void fetch(`${url}/api/v1/sessions/repeat/verdicts/stream`, { signal: following.signal })
    .then(async ({ body }) => {
      for await (const piece of body ?? []) streamed += Buffer.from(piece as Uint8Array).toString();
    })
    .catch(() => undefined);
  const lines = events().map((event) => JSON.stringify(event));
  const posted = await post(`${url}/api/v1/events`, lines.join('\n'), {
    'content-type': 'application/x-ndjson',
  });
  expect(JSON.parse(posted)).toMatchObject({ accepted: lines.length });
  // Rejected lines are quoted.
  const rejected = [
    `{"sessionId":"bad","type":"content","${secret.token}":1}`,
    `{"password":"${secret.password}"`,
    everything,
  ];
  for (const body of rejected)
    outputs.set(`rejected ${body.slice(0, 20)}`, await post(`${url}/api/v1/events`, body));
  for (let i = 0; i < 8; i += 1) {
    const call = {
      tool_name: 'Bash',
      tool_input: { command: `curl -u bob:${secret.password} x`, env: secret.env },
    };
    const hook = { session_id: 'hooked', cwd: '/w', ...call };
    for (const event of ['PreToolUse', 'PostToolUse'])
      outputs.set(
        `hook ${event} ${String(i)}`,
        await post(`${url}/api/v1/hooks/claude-code`, {
          ...hook,
          hook_event_name: event,
          tool_response: everything,
        }),
      );
    outputs.set(
      `decide ${String(i)}`,
      await post(`${url}/api/v1/decide`, { sessionId: 'hooked', name: 'Bash', args: call.tool_input }),
    );
    const messages = [{ role: 'user', content: `Use ${secret.token}` }];
    await post(
      `${gateway}/v1/chat/completions`,
      { model: 'gpt-5-mini', messages },
      { 'x-session-id': 'proxied', authorization: `Bearer ${secret.token}` },
    );
  }
  const detectors = async (): Promise<string[]> => {
    const { items } = (await (await fetch(`${url}/api/v1/incidents?limit=100`)).json()) as {
      items: { sessionId: string; detector: string }[];
    };
    return [...new Set(items.map(({ sessionId, detector }) => `${sessionId} ${detector}`))].sort();
  };
  let found: string[] = [];
  await waitFor(async () => (found = await detectors()).length >= 6 && receiver.received.length >= 3, {
    describe: () => `incidents of all kinds; there are ${found.join(', ')}`,
  });
  // Exports hold labelled sessions.
  const first = (
    JSON.parse(await (await fetch(`${url}/api/v1/incidents?limit=50`)).text()) as { items: { id: string }[] }
  ).items;
  const triage = { ids: first.map(({ id }) => id), change: { status: 'false_positive', note: 'expected' } };
  await fetch(`${url}/api/v1/incidents`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(triage),
  });
  for (const [path, text] of await allAnswers(url)) outputs.set(`GET ${path}`, text);
  // One of each event.
  expect([...outputs.keys()].filter((name) => name.includes('/records/')).length).toBeGreaterThan(300);
  outputs.set('backtest', await post(`${url}/api/v1/backtests`, { sessions: { limit: 10 }, settings: {} }));
  expect(outputs.get('GET /api/v1/exports/events.jsonl')).toContain('tool_result');
  following.abort();
  socket.disconnect();
  expect(streamed).toContain('incidentId');
  outputs.set('stream', streamed);
  outputs.set('live', JSON.stringify(live));
  await cli.stop();
  outputs.set('log', [...cli.stdout, ...cli.stderr].join('\n'));
  outputs.set(
    'notifications',
    receiver.received.map(({ text, path, headers }) => path + JSON.stringify(headers) + text).join('\n'),
  );
  outputs.set('telemetry', JSON.stringify(collector));
  for (const [name, text] of await stored(dir)) outputs.set(name, text);

  const file = await fileOf([...lines, ...rejected]);
  for (const flags of [
    ['replay', file],
    ['replay', file, '--json'],
  ]) {
    const run = spawnCli(flags);
    await run.exited;
    outputs.set(flags.join(' '), [...run.stdout, ...run.stderr].join('\n'));
  }
  const history = JSON.parse(
    JSON.stringify(claudeLoop('s-1', 8)).replaceAll('/w/missing.ts', JSON.stringify(everything).slice(1, -1)),
  ) as object[];
  const folder = await folderOf({ 'projects/w/s-1.jsonl': history });
  const html = join(folder, 'report.html');
  for (const flags of [
    ['scan', folder, '--html', html],
    ['scan', folder, '--json'],
  ]) {
    const run = spawnCli(flags);
    await run.exited;
    outputs.set(flags.join(' '), [...run.stdout, ...run.stderr].join('\n'));
  }
  outputs.set('scan --html', await readFile(html, 'utf8'));
  expect(leaks(outputs)).toEqual([]);
});
