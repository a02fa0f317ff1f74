import { freePort, spawnCli, tempDir, waitFor } from '@loopwatch/testkit';
import { expect, onTestFinished } from 'vitest';
import { fileOf } from '../../cli/test/worker-runs.ts';

type Json = Record<string, unknown>;

/** `loopwatch server` as a process of its own. */
export interface RunningServer {
  readonly url: string;
  /** An answer of the API, parsed. */
  get<T = Json>(path: string): Promise<T>;
  send(method: string, path: string, body?: unknown): Promise<number>;
  /** All items of a list, page after page. */
  all(path: string): Promise<Json[]>;
  readiness(): Promise<{ status: number; checks: Record<string, { ok: boolean; detail?: string }> }>;
  /** The value of a line of /metrics that begins so; 0 without one. */
  metric(line: string): Promise<number>;
  stop(): Promise<number | NodeJS.Signals>;
}

/** A folder for an embedded database, until the test ends. */
export async function dataDir(): Promise<string> {
  const dir = await tempDir();
  onTestFinished(() => dir.remove());
  return dir.path;
}

/** Starts it on a free port; it ends with the test. */
export async function runServer(
  env: Readonly<Record<string, string>>,
  ...flags: string[]
): Promise<RunningServer> {
  const port = await freePort();
  const child = spawnCli(['server', '--port', String(port), ...flags], env);
  onTestFinished(async () => {
    await child.stop('SIGKILL');
  });
  await child.line(/Loopwatch .* is at http/);
  const url = `http://127.0.0.1:${String(port)}`;
  const request = async (path: string, init?: RequestInit): Promise<Response> =>
    fetch(`${url}/api/v1${path}`, init);
  const get = async <T>(path: string): Promise<T> => {
    const response = await request(path);
    if (!response.ok) throw new Error(`${path}: ${String(response.status)} ${await response.text()}`);
    return (await response.json()) as T;
  };
  return {
    url,
    get,
    send: async (method, path, body) =>
      (await request(path, { method, ...(body !== undefined && { body: JSON.stringify(body) }) })).status,
    all: async (path) => {
      const items: Json[] = [];
      for (let cursor = ''; ; ) {
        const page = await get<{ items: Json[]; nextCursor: string | null }>(`${path}?limit=50${cursor}`);
        items.push(...page.items);
        if (page.nextCursor === null) return items;
        cursor = `&cursor=${page.nextCursor}`;
      }
    },
    readiness: async () => {
      const response = await fetch(`${url}/readyz`);
      const { checks } = (await response.json()) as {
        checks: Record<string, { ok: boolean; detail?: string }>;
      };
      return { status: response.status, checks };
    },
    metric: async (line) => {
      const text = await (await fetch(`${url}/metrics`)).text();
      const found = text.split('\n').find((one) => one.startsWith(`${line} `));
      return found === undefined ? 0 : Number(found.slice(line.length + 1));
    },
    stop: () => child.stop(),
  };
}

/** The events of a session that calls the same tool over and over. */
export function loop(sessionId: string): string[] {
  return Array.from({ length: 6 }, (_, n) =>
    JSON.stringify({
      id: `${sessionId}-${String(n)}`,
      sessionId,
      time: 1_760_000_000_000 + n,
      type: 'tool_call_request',
      name: 'read_file',
      args: { path: 'a' },
    }),
  );
}

export async function produce(
  lines: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const process = spawnCli(['produce', await fileOf(lines)], env);
  expect(await process.exited, process.stderr.join('\n')).toBe(0);
}

/** Everything that lists show. */
export async function shownBy(server: RunningServer): Promise<Record<string, Json[]>> {
  const [incidents, verdicts, sessions, groups] = await Promise.all(
    ['/incidents', '/verdicts', '/sessions', '/incident-groups'].map((path) => server.all(path)),
  );
  return {
    incidents: incidents?.map((item) => atAnyTime(item, 'open')) ?? [],
    verdicts: verdicts ?? [],
    sessions: sessions?.map((item) => atAnyTime(item, 'live')) ?? [],
    groups: groups?.map((item) => atAnyTime(item, 'open')) ?? [],
  };
}

/** Without what depends on when it is asked, and on which topic was read first. */
export function atAnyTime(item: Json, awake: 'open' | 'live'): Json {
  const passing = ['lastActivityAt', 'quiet', 'open'];
  const lasting = Object.entries(item).filter(([name]) => !passing.includes(name));
  const { incidents } = item;
  const total =
    typeof incidents === 'object' && incidents !== null && 'total' in incidents ? incidents.total : undefined;
  return {
    ...Object.fromEntries(lasting),
    ...(item['state'] === 'quiet' && { state: awake }),
    ...(total !== undefined && { incidents: total }),
  };
}

/** Waits until a list has so many items. */
export async function untilThereAre(server: RunningServer, path: string, count: number): Promise<void> {
  let seen = 0;
  await waitFor(
    async () => {
      ({ total: seen } = await server.get<{ total: number }>(`${path}?limit=1`));
      return seen >= count;
    },
    { timeoutMs: 200_000, describe: () => `${String(count)} items at ${path}; there are ${String(seen)}` },
  );
}
