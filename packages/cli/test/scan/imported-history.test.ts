import type { AgentEvent } from '@loopwatch/contract';
import { expect, it, vi } from 'vitest';
import { BadLines } from '../../src/events/bad-lines.ts';
import { RecordReader } from '../../src/events/read-records.ts';
import { findSourcesAt } from '../../src/scan/find-sources.ts';
import { startClocked } from './clocked-loopwatch.ts';
import { folderOf } from './histories.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START = Date.UTC(2026, 9, 5);
const END = START + 14 * DAY;

const detection = {
  preset: 'balanced',
  budget: { calls: 14 },
  tool_call_limit: { max_turns: 12 },
} as const;

type TimedEvent = AgentEvent & { readonly time: number };

type Made = readonly [tool: string, args: object, result: string];

/** A turn with one call, and its result a little later. */
function turn(at: number, [name, args, result]: Made, usage: object): TimedEvent[] {
  const callId = `c-${String(at)}`;
  return [
    { type: 'turn_started', time: at },
    { type: 'tool_call_request', callId, name, args: { ...args }, time: at },
    { type: 'turn_finished', usage: { inputTokens: 900, outputTokens: 40 }, ...usage, time: at },
    { type: 'tool_result', callId, result, isError: result.startsWith('Error'), time: at + 5 * SECOND },
  ];
}

const shapes = {
  /** The same call, which is also part of the cycle that follows. */
  repeat: (i: number) =>
    i < 6 || i % 2 === 0 ? ['read_file', { path: 'a' }, 'x'] : ['grep', { q: 'b' }, 'y'],
  failing: (i: number) => ['edit_file', { path: `src/${String(i)}.ts` }, 'Error: no write access'],
  down: (i: number) => [
    'fetch_page',
    { page: i },
    i < 5 ? 'Error: 503 Service Unavailable' : `page ${String(i)}`,
  ],
  working: (i: number) => [
    'read_file',
    { path: `src/${String(i)}.ts` },
    `text number ${'abcdefghijklmnopqrst'[i] ?? ''}`,
  ],
} satisfies Record<string, (i: number) => Made>;

/** The events of a session as canonical records. */
function canonical(
  sessionId: string,
  shape: keyof typeof shapes,
  at: number,
  pauseAfter: number,
): TimedEvent[] {
  const isPriced = shape !== 'failing';
  const common = {
    sessionId,
    agent: shape === 'working' ? 'writer' : 'coder',
    model: isPriced ? 'gpt-5-mini' : 'house-model',
    tenant: shape === 'down' ? 'acme' : null,
  };
  const turns = Array.from({ length: 16 }, (_, i) => {
    const time = at + i * 40 * SECOND + (i >= pauseAfter ? 100 * MINUTE : 0);
    return turn(time, shapes[shape](i), isPriced ? { costUsd: 0.01 } : {});
  }).flat();
  return [{ type: 'prompt_started' as const, text: 'Fix the build.', time: at }, ...turns].map(
    (event, i) => ({ ...event, ...common, id: `e-${String(i)}` }),
  );
}

/** A Claude Code session as that agent writes it. */
function claudeCode(sessionId: string, at: number): object[] {
  const common = { sessionId, cwd: '/work/shop', version: '2.1.0' };
  return Array.from({ length: 9 }, (_, i) => {
    const id = `${sessionId}-${String(i)}`;
    const timestamp = new Date(at + i * 30 * SECOND).toISOString();
    const usage = { input_tokens: 10, cache_read_input_tokens: 1000, output_tokens: 5 };
    const use = { type: 'tool_use', id: `t${id}`, name: 'Read', input: { file_path: '/w/missing.ts' } };
    const content = [
      { type: 'tool_result', tool_use_id: `t${id}`, content: 'No such file.', is_error: true },
    ];
    return [
      {
        ...common,
        type: 'assistant',
        uuid: `a${id}`,
        timestamp,
        message: { id: `m${id}`, role: 'assistant', model: 'claude-sonnet-4-5', content: [use], usage },
      },
      {
        ...common,
        type: 'user',
        uuid: `r${id}`,
        parentUuid: `a${id}`,
        timestamp,
        message: { role: 'user', content },
      },
    ];
  }).flat();
}

/** Fourteen days: one, two or three sessions a day, some over midnight, some with a long pause; one that is still running. */
function histories(): Record<string, readonly object[]> {
  const files: Record<string, readonly object[]> = {};
  for (let day = 0; day < 14; day += 1) {
    const at = START + day * DAY;
    const shape = (['repeat', 'failing', 'down', 'working'] as const)[day % 4] ?? 'working';
    files[`z/day-${String(day)}.jsonl`] = canonical(
      `s-${String(day)}`,
      shape,
      at + 9 * HOUR + day * 7 * MINUTE,
      day % 3 === 0 ? 8 : 99,
    );
    if (day % 2 === 0)
      files[`projects/${String(20 - day)}.jsonl`] = claudeCode(
        `c-${String(day)}`,
        at + 24 * HOUR - 3 * MINUTE,
      );
    if (day % 5 === 0)
      files[`b/day-${String(day)}.jsonl`] = canonical(
        `p-${String(day)}`,
        'repeat',
        at + 9 * HOUR + day * 7 * MINUTE,
        99,
      );
  }
  files['z/now.jsonl'] = canonical('now', 'failing', END - 15.25 * 40 * SECOND, 99);
  return files;
}

async function readFolder(folder: string): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for (const source of findSourcesAt([folder], 0, new BadLines())) {
    const reader = new RecordReader('auto', source.session);
    for (const file of source.files)
      for await (const records of reader.read(file))
        events.push(...records.flatMap((record) => record.events));
  }
  return events;
}

const instant = ({ time }: AgentEvent): number =>
  typeof time === 'string' ? Date.parse(time) : Number(time);

/** What says when and where something arrived, not what happened. */
const ofArrival = new Set([
  'source',
  'sequence',
  'latency',
  'updatedAt',
  'lastActivityAt',
  'receivedAt',
  'nextCursor',
]);

/** Without what tells of the arrival; verdicts of an incident say when each was detected. */
function withoutArrival(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((one) => withoutArrival(one, key));
  if (typeof value === 'number') return Number(value.toFixed(9));
  // A quiet session is idle once the worker has let go of it, which it does between batches.
  if (key === 'state' && value === 'idle') return 'quiet';
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !ofArrival.has(name))
      .map(([name, part]) => [name, withoutArrival(part, name)]),
  );
}

/** Whatever a person sees of these fourteen days. */
async function pagesOf({ get }: Awaited<ReturnType<typeof startClocked>>): Promise<Record<string, unknown>> {
  const range = `from=${String(START)}&to=${String(END)}`;
  const lastWeek = `from=${String(END - 7 * DAY)}&to=${String(END)}&compare=previous`;
  const paths = {
    overview: `overview?${range}`,
    now: 'overview',
    lastHour: 'overview?lastMs=3600000',
    charts: `stats?${range}&bucketMs=${String(6 * HOUR)}`,
    byAgent: `stats?groupBy=agent&${lastWeek}`,
    byModel: `stats?groupBy=model&${lastWeek}`,
    byTool: `stats?groupBy=tool&${lastWeek}`,
    byTenant: `stats?groupBy=tenant&${range}`,
    byDetector: `stats?groupBy=detector&${range}&kind=loop&kind=limit&kind=outage`,
    incidents: 'incidents?limit=200',
    ofOneDay: `incidents?limit=200&from=${String(START + DAY)}&to=${String(START + 2 * DAY)}`,
    groups: 'incident-groups?limit=200',
    sessions: 'sessions?limit=200',
    looping: 'sessions?incidents=open',
  };
  const pages: Record<string, unknown> = {};
  for (const [name, path] of Object.entries(paths))
    pages[name] = withoutArrival(await get(`/api/v1/${path}`));
  const metrics = String(await get('/metrics'));
  pages['metrics'] = metrics
    .split('\n')
    .filter((line) => /^loopwatch_(wasted|incidents_o|loops|tool_calls)/.test(line))
    .sort();
  return pages;
}

it('a folder of fourteen days imported at once gives the same pages as the sessions watched live', async () => {
  const events = await readFolder(await folderOf(histories()));
  const live = await startClocked(detection, START);
  for (const time of [...new Set(events.map(instant))].sort((a, b) => a - b)) {
    live.clock.now = time;
    await live.post(events.filter((event) => instant(event) === time));
    await live.analyzed();
  }
  live.clock.now = END;
  const imported = await startClocked(detection, END);
  await imported.post(events);
  await imported.stored();
  await live.stored();
  // Sums and metrics may follow what is stored a moment later.
  await vi.waitFor(async () => expect(await pagesOf(imported)).toEqual(await pagesOf(live)), {
    timeout: 180_000,
    interval: 500,
  });
  // Ten times what it takes alone.
}, 300_000);
