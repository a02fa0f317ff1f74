import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startKafka, startPostgres } from '@loopwatch/testkit';
import { type Figures, progress, rounded } from '../measure.ts';
import { flowInBrowser, scrollInBrowser } from './browser.ts';
import { get, timeLists } from './lists.ts';
import type { FlowResult, ServerOptions, Task, TaskResult } from './messages.ts';
import { VERDICTS_PER_INCIDENT } from './traffic.ts';

const INCIDENTS = Number(process.env['BENCH_INCIDENTS'] ?? 100_000);
const PER_SECOND = 1_000;
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 60);
/** Maximum response time; beyond it, pages show that a list is loading. */
const ANSWER_MS = 500;

/**
 * The dashboard with 100,000 incidents: response times of its lists, scrolling a list in a browser, and 1,000 verdicts per
 * second for a minute with a page open. Once with the embedded log and database, once with Kafka and PostgreSQL.
 */
export async function dashboard(): Promise<Figures[]> {
  const figures = await over('embedded', {});
  const kafka = await startKafka();
  const postgres = await startPostgres();
  try {
    const databaseUrl = await postgres.createDatabase();
    return [...figures, ...(await over('Kafka and PostgreSQL', { brokers: kafka.brokers, databaseUrl }))];
  } finally {
    await postgres.stop();
    await kafka.stop();
  }
}

async function over(storage: string, options: ServerOptions): Promise<Figures[]> {
  const server = await startServer(options);
  const { url } = server;
  try {
    progress(`dashboard, ${storage}: storing ${String(INCIDENTS * VERDICTS_PER_INCIDENT)} verdicts`);
    const filled = await server.ask<TaskResult>({
      kind: 'fill',
      verdicts: INCIDENTS * VERDICTS_PER_INCIDENT,
    });
    progress(`dashboard, ${storage}: ${JSON.stringify(filled)}`);
    const lists = await timeLists(url);
    for (const { name, ms, maxMs } of lists)
      progress(`  ${name}: ${ms.toFixed(1)} ms, at most ${maxMs.toFixed(0)}`);
    const slowest = lists.reduce((a, b) => (b.ms > a.ms ? b : a));
    const scroll = await scrollInBrowser(url);
    progress(`dashboard, ${storage}: ${JSON.stringify(scroll)}`);
    const before = await get(url, '/verdicts?limit=1');
    const { flow, page } = await flowInBrowser(url, () =>
      server.ask<FlowResult>({ kind: 'flow', perSecond: PER_SECOND, seconds: SECONDS }),
    );
    const after = await get(url, '/verdicts?limit=1');
    progress(`dashboard, ${storage}: ${JSON.stringify({ flow, page })}`);
    const missing = flow.verdicts - (after.total - before.total);
    return [
      {
        bench: 'dashboard-fill',
        storage,
        verdicts: filled.verdicts,
        verdictsPerCpuSecond: rounded(filled.verdicts / (filled.cpuMs / 1_000)),
        ratio: rounded(filled.verdicts / (filled.ms / 1_000) / PER_SECOND),
        required: '> 1',
      },
      {
        bench: 'dashboard-lists',
        storage,
        incidents: INCIDENTS,
        requests: lists.length,
        slowest: slowest.name,
        slowestMs: rounded(slowest.ms),
        pageMs: rounded(lists[0]?.ms ?? 0),
        deepPageMs: rounded(lists[1]?.ms ?? 0),
        ratio: rounded(slowest.ms / ANSWER_MS),
        required: '<= 1',
      },
      {
        bench: 'dashboard-scroll',
        storage,
        incidents: INCIDENTS,
        ...scroll,
        ratio: rounded(scroll.p95FrameMs / 50),
        required: '<= 1',
      },
      {
        bench: 'dashboard-live',
        storage,
        sent: flow.verdicts,
        missing,
        ...page,
        storedPerSecond: rounded(flow.verdicts / (flow.ms / 1_000)),
        storedLaterMs: rounded(flow.drainMs),
        maxBacklog: flow.maxBacklog,
        serverCpuShare: rounded(flow.cpuMs / flow.ms),
        serverLoopP99Ms: rounded(flow.loopP99Ms),
        ratio: rounded(page.p95FrameMs / 50),
        required: '<= 1, and missing = 0',
      },
    ];
  } finally {
    await server.stop();
  }
}

interface BenchServer {
  readonly url: string;
  ask<T>(task: Task): Promise<T>;
  stop(): Promise<void>;
}

async function startServer(options: ServerOptions): Promise<BenchServer> {
  const child: ChildProcess = fork(
    fileURLToPath(new URL('./server.ts', import.meta.url)),
    [JSON.stringify(options)],
    {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    },
  );
  const exited = once(child, 'exit');
  const [{ url }] = (await Promise.race([
    once(child, 'message'),
    exited.then(() => Promise.reject(new Error('The server of the bench ended'))),
  ])) as [{ url: string }];
  let asked = 0;
  return {
    url,
    ask: async <T>(task: Task) => {
      asked += 1;
      const id = asked;
      const answered = new Promise<T>((resolve, reject) => {
        child.on('message', (message: { id: number; answer: T }) => {
          if (message.id === id) resolve(message.answer);
        });
        void exited.then(() => reject(new Error('The server of the bench ended')));
      });
      child.send({ id, task });
      return answered;
    },
    stop: async () => {
      child.disconnect();
      await exited;
    },
  };
}
