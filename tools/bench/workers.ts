import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { topicNames } from '@loopwatch/contract';
import { ensureTopics, topicSpecs } from '@loopwatch/log';
import { startKafka, uniqueName, waitFor } from '@loopwatch/testkit';
import type { MemberMessage } from './group-member.ts';
import { type Figures, median, progress, rounded } from './measure.ts';
import { fill, madeUpTraffic } from './traffic.ts';

const EVENTS = 2_000_000;
const PARTITIONS = 4;
const ROUNDS = 3;
const memberFile = fileURLToPath(new URL('group-member.ts', import.meta.url));

type Kind = 'bare' | 'worker';

/** 1, 2 and 4 worker processes in a group, each compared with as many bare consumers on the same topic, alternating. */
export async function workers(): Promise<Figures[]> {
  const kafka = await startKafka();
  const { brokers } = kafka;
  try {
    const prefix = `${uniqueName('bench')}.`;
    const topics = topicNames({ prefix });
    await ensureTopics({ brokers, clientId: 'bench' }, topicSpecs(topics, { partitions: PARTITIONS }));
    progress(`writing ${String(EVENTS)} events`);
    await fill(brokers, madeUpTraffic(topics.events, EVENTS));
    const figures: Figures[] = [];
    for (const processes of [1, 2, 4]) {
      const bare: number[] = [];
      const exact: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        bare.push(await groupRate('bare', processes, brokers, prefix));
        exact.push(await groupRate('worker', processes, brokers, prefix));
        progress(
          `${String(processes)} processes: bare ${bare.at(-1)?.toFixed(0) ?? ''}/s, worker ${exact.at(-1)?.toFixed(0) ?? ''}/s`,
        );
      }
      figures.push({
        bench: `worker-rate, ${String(processes)} processes`,
        events: EVENTS,
        bareEventsPerSecond: Math.round(median(bare)),
        workerEventsPerSecond: Math.round(median(exact)),
        delivery: 'exactly once',
        ratio: rounded(median(exact.map((rate, i) => rate / (bare[i] ?? Number.NaN)))),
        required: 'nothing',
      });
    }
    return figures;
  } finally {
    await kafka.stop();
  }
}

/** Events per second of a whole group, from the moment all its members have their partitions. */
async function groupRate(
  kind: Kind,
  processes: number,
  brokers: readonly string[],
  prefix: string,
): Promise<number> {
  const args = [kind, brokers.join(','), prefix, uniqueName(kind)];
  const execArgv = ['--import', 'tsx'];
  const members = Array.from({ length: processes }, () => new Member(fork(memberFile, args, { execArgv })));
  try {
    const share = PARTITIONS / processes;
    await waitFor(() => members.every(({ assigned }) => assigned === share), {
      timeoutMs: 60_000,
      describe: () => `${share} partitions each, not ${members.map(({ assigned }) => assigned).join(', ')}`,
    });
    const began = performance.now();
    for (const member of members) member.go();
    const done = () => members.reduce((sum, { processed }) => sum + processed, 0);
    await waitFor(() => done() >= EVENTS, {
      timeoutMs: 120_000,
      describe: () => `all events, there are ${done()}`,
    });
    return (EVENTS * 1_000) / (performance.now() - began);
  } finally {
    await Promise.all(members.map((member) => member.end()));
  }
}

class Member {
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  assigned = 0;
  processed = 0;

  constructor(child: ChildProcess) {
    this.#child = child;
    this.#ended = new Promise((resolve) => {
      child.once('exit', () => resolve());
    });
    child.on('message', (message: MemberMessage) => {
      if ('assigned' in message) this.assigned = message.assigned;
      else this.processed += message.processed;
    });
  }

  go(): void {
    this.#child.send('go');
  }

  async end(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }
}
