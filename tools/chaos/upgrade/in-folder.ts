import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { topicNames } from '@loopwatch/contract';
import { type LogRecord, openEmbeddedLog } from '@loopwatch/log';
import { type CliProcess, freePort, spawnCli, type TopicRecord, tempDir, waitFor } from '@loopwatch/testkit';
import { foundResults } from '../expected.ts';
import { Random } from '../random.ts';
import { Traffic } from '../traffic.ts';
import { HttpProducer } from './http-producer.ts';
import { judge } from './judge.ts';
import type { Upgrade, UpgradeReport } from './report.ts';
import { expectedBy, type Version } from './version.ts';

const HASTE = 20;
const IDLE_SECONDS = 200;
const WAIT_MS = 120_000;

/** Both versions in turn on one data folder while events are posted, each ended by SIGTERM and by SIGKILL. */
export async function upgradeInFolder(options: Upgrade): Promise<UpgradeReport> {
  const { earlier, present, seed, rate, pauseMs, log, logs } = options;
  await using folder = await tempDir('loopwatch-upgrade');
  const dir = join(folder.path, 'data');
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const settings = { tool_call_loop: { max_repeats: 3 }, session: { idle_seconds: IDLE_SECONDS } };
  const configFile = join(folder.path, 'loopwatch.json');
  await writeFile(configFile, JSON.stringify(settings));
  const traffic = new Traffic({
    startsAt: Date.now() - 48 * 3_600_000,
    stepMs: Math.round((HASTE * 1_000) / rate),
    idleMs: IDLE_SECONDS * 1_000,
    random: new Random(seed),
  });
  await using producer = new HttpProducer(url, traffic, rate);
  const steps: string[] = [];
  const troubles: string[] = [];
  const processes: CliProcess[] = [];
  const step = (text: string) => {
    log(text);
    steps.push(text);
  };
  const spawn = ({ command }: Version, args: readonly string[]) => {
    const process = spawnCli([...args, '--config', configFile], {}, { command });
    processes.push(process);
    return process;
  };
  const start = async (version: Version): Promise<CliProcess> => {
    for (;;) {
      const args = ['start', '--no-samples', '--port', String(port), '--data-dir', dir];
      const process = spawn(version, args);
      const isRunning = await process.line(/Loopwatch .* is at http/).then(
        () => true,
        () => false,
      );
      if (isRunning) return process;
      const said = process.stderr.join(' ');
      const isOfDatabase = /migration/i.test(said);
      step(`${version.name} refuses to start: ${process.stderr[0] ?? ''}`);
      if (!isOfDatabase) throw new Error(`The ${version.name} version did not start: ${said}`);
      const [, repair] = /loopwatch (repair database --data-dir \S+)/.exec(said) ?? [];
      if (repair === undefined) {
        step('the folder of the database is deleted, the log stays');
        await rm(join(dir, 'db'), { recursive: true });
      } else {
        step(`loopwatch ${repair}`);
        const end = await spawn(version, repair.split(' ')).exited;
        if (end !== 0) throw new Error(`loopwatch ${repair} ended with ${String(end)}`);
      }
    }
  };

  try {
    producer.start();
    let running: CliProcess | undefined;
    for (const [version, signal] of [
      [earlier, 'SIGTERM'],
      [present, 'SIGKILL'],
      [present, 'SIGTERM'],
      [earlier, 'SIGKILL'],
      [present, 'SIGTERM'],
      [earlier, 'SIGTERM'],
      [present, undefined],
    ] as const) {
      running = await start(version);
      step(`${version.name} runs`);
      await delay(pauseMs);
      if (signal === undefined) break;
      const end = await running.stop(signal);
      step(`${version.name} gets ${signal}`);
      if (signal === 'SIGTERM' && end !== 0) troubles.push(`${version.name} ended with ${String(end)}`);
    }
    await producer.stop();
    await caughtUp(url);
    const incidents = await incidentsOf(url);
    await running?.stop();

    log('comparing what came of it with a replay by both versions');
    const topics = topicNames({ prefix: 'loopwatch.' });
    const embedded = await openEmbeddedLog({ dir, topics: Object.values(topics) });
    const read = async (topic: string) =>
      (await embedded.read(topic, 0, Number.MAX_SAFE_INTEGER)).map(toTopicRecord);
    const [events, verdicts, deadLetters] = [
      await read(topics.events),
      await read(topics.verdicts),
      await read(topics['dead-letters']),
    ];
    await embedded.close();
    const found = foundResults(verdicts, deadLetters);
    const replays = {
      earlier: await expectedBy(earlier, topics.events, events, settings),
      present: await expectedBy(present, topics.events, events, settings),
    };
    const judgement = judge(replays.earlier, replays.present, found);
    const stored = new Set(
      events.map(({ value }) => String((JSON.parse(value ?? 'null') as { id?: unknown }).id)),
    );
    const lost = producer.acknowledged.filter((id) => !stored.has(id));
    if (lost.length > 0) troubles.push(`${lost.length} acknowledged events are not in the log: ${lost[0]}`);
    const opened = new Set(found.verdicts.map(({ incidentId }) => incidentId));
    const listed = new Set(incidents);
    const unlisted = [...opened].filter((id) => !listed.has(id));
    if (unlisted.length > 0) troubles.push(`${unlisted.length} incidents are not listed: ${unlisted[0]}`);
    if (listed.size !== incidents.length) troubles.push('an incident is listed twice');
    step(`${incidents.length} incidents are listed, of ${opened.size} in verdicts`);
    await writeFile(
      join(logs, 'upgrade.json'),
      JSON.stringify({ judgement, ...replays, found, events, incidents }),
    );
    return {
      where: 'data folder',
      steps,
      written: producer.acknowledged.length,
      stored: stored.size,
      judgement,
      troubles: [...troubles, ...producer.troubles],
    };
  } finally {
    await Promise.all(processes.map((process) => process.stop('SIGKILL')));
    for (const [number, { stdout, stderr }] of processes.entries())
      await writeFile(join(logs, `start-${number + 1}.log`), [...stdout, ...stderr, ''].join('\n'));
  }
}

function toTopicRecord({ offset, timestamp, key, value, headers }: LogRecord): TopicRecord {
  const texts = Object.entries(headers).map(([name, bytes]) => [name, String(bytes)]);
  return {
    partition: 0,
    offset,
    timestamp,
    key: key === null ? null : String(key),
    value: value === null ? null : String(value),
    headers: Object.fromEntries(texts) as TopicRecord['headers'],
  };
}

interface Status {
  readonly log: { readonly topics: { readonly partitions: { readonly lag: number | null }[] }[] };
}

/** Waits until everything is analyzed and stored. */
async function caughtUp(url: string): Promise<void> {
  const isAnalyzed = async () =>
    (await (await fetch(`${url}/metrics`)).text()).includes(
      'loopwatch_consumer_lag{topic="loopwatch.events",partition="0"} 0',
    );
  const isStored = async () => {
    const { log } = (await (await fetch(`${url}/api/v1/status`)).json()) as Status;
    return log.topics.every(({ partitions }) => partitions.every(({ lag }) => lag === 0));
  };
  for (const isReady of [isAnalyzed, isStored])
    await waitFor(isReady, { timeoutMs: WAIT_MS, describe: 'everything to be analyzed and stored' });
}

interface Page {
  readonly items: readonly { readonly id: string }[];
  readonly nextCursor: string | null;
}

async function incidentsOf(url: string): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor = ''; ; ) {
    const page = (await (await fetch(`${url}/api/v1/incidents?limit=100${cursor}`)).json()) as Page;
    ids.push(...page.items.map(({ id }) => id));
    if (page.nextCursor === null) return ids;
    cursor = `&cursor=${page.nextCursor}`;
  }
}
