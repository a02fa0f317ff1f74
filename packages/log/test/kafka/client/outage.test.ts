import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  available,
  inWords,
  type LinkEvent,
  type LinkState,
  nextLinkState,
} from '../../../src/kafka/client/outage.ts';
import { KafkaOutageLog } from '../../../src/kafka/client/outage-log.ts';

const refused = { reason: 'connection refused' };
const fails = (broker = 'k1:9092', failure: { reason: string; advice?: string } = refused): LinkEvent => ({
  kind: 'failed',
  broker,
  failure,
});
const answers = (broker = 'k1:9092'): LinkEvent => ({ kind: 'answered', broker });

/** The lines logged for events at these seconds; a tick follows each second until `end`. */
function said(end: number, happenings: Readonly<Record<number, readonly LinkEvent[]>>): string[] {
  let state: LinkState = available;
  const lines: string[] = [];
  for (let second = 0; second <= end; second += 1) {
    for (const event of [...(happenings[second] ?? []), { kind: 'tick' } as const]) {
      const [next, line] = nextLinkState(state, event, second * 1000);
      state = next;
      if (line !== undefined) lines.push(`${String(second)} ${line.level} ${line.message}`);
    }
  }
  return lines;
}

const everySecond = (from: number, to: number, ...events: readonly LinkEvent[]) =>
  Object.fromEntries(Array.from({ length: to - from + 1 }, (_, i) => [from + i, events]));

describe('nextLinkState: log lines of an outage', () => {
  it.each<{
    what: string;
    end: number;
    happenings: Readonly<Record<number, readonly LinkEvent[]>>;
    says: readonly string[];
  }>([
    {
      what: 'an outage of five minutes: seven lines, regardless of the number of retries',
      end: 400,
      happenings: { ...everySecond(0, 302, fails(), fails(), fails()), 303: [answers()] },
      says: [
        '1 warn Kafka is unavailable at k1:9092: connection refused; retrying',
        '61 warn Kafka is still unavailable at k1:9092 after 1 min 1 s: connection refused; retrying',
        '121 warn Kafka is still unavailable at k1:9092 after 2 min 1 s: connection refused; retrying',
        '181 warn Kafka is still unavailable at k1:9092 after 3 min 1 s: connection refused; retrying',
        '241 warn Kafka is still unavailable at k1:9092 after 4 min 1 s: connection refused; retrying',
        '301 warn Kafka is still unavailable at k1:9092 after 5 min 1 s: connection refused; retrying',
        '306 info Kafka is reachable again after 5 min 3 s',
      ],
    },
    {
      what: 'a connection that recovers within a second: no line',
      end: 20,
      happenings: { 3: [fails(), answers()], 9: [fails()], 10: [answers()] },
      says: [],
    },
    {
      what: 'a broker that flaps while it starts: one outage',
      end: 30,
      happenings: {
        0: [fails()],
        5: [answers()],
        6: [fails()],
        7: [answers()],
        8: [fails()],
        9: [answers()],
      },
      says: [
        '1 warn Kafka is unavailable at k1:9092: connection refused; retrying',
        '12 info Kafka is reachable again after 9 s',
      ],
    },
    {
      what: 'several unavailable brokers: named in one line',
      end: 40,
      happenings: {
        0: [fails('k1:9092'), fails('k2:9092', { reason: 'no answer' })],
        9: [answers('k1:9092')],
        10: [answers('k2:9092')],
      },
      says: [
        '1 warn Kafka is unavailable at k1:9092 (connection refused), k2:9092 (no answer): 2 brokers do not answer; retrying',
        '12 info Kafka is reachable again after 9 s',
      ],
    },
    {
      what: 'a broker that has left the cluster: over once the others answer and it gets no more requests',
      end: 40,
      happenings: { 0: [fails('k1:9092')], 2: [fails('k2:9092')], 5: [answers('k2:9092')] },
      says: [
        '1 warn Kafka is unavailable at k1:9092: connection refused; retrying',
        '20 info Kafka is reachable again after 5 s',
      ],
    },
    {
      what: 'a rejected login: an error with advice',
      end: 30,
      happenings: {
        ...everySecond(
          0,
          9,
          fails('k1:9093', { reason: 'the login was refused (bad)', advice: 'Check it.' }),
        ),
        10: [answers('k1:9093')],
      },
      says: [
        '1 error Kafka is unavailable at k1:9093: the login was refused (bad); retrying. Check it.',
        '13 info Kafka is reachable again after 10 s',
      ],
    },
  ])('$what', ({ end, happenings, says }) => {
    expect(said(end, happenings)).toEqual(says);
  });

  it.each([
    [400, '1 s'],
    [59_400, '59 s'],
    [303_000, '5 min 3 s'],
    [120_000, '2 min'],
    [11_400_000, '3 h 10 min'],
    [7_200_000, '2 h'],
  ])('inWords: %i ms is %s', (ms, words) => {
    expect(inWords(ms)).toBe(words);
  });
});

describe('KafkaOutageLog', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('logs warnings during an outage at level debug, never errors, and leaves no timer behind', async () => {
    const lines: string[] = [];
    const outages = new KafkaOutageLog(
      (level, message) => lines.push(`${level} ${message}`),
      () => Date.now(),
    );
    outages.log('warn', 'before', {});
    outages.failed('k1:9092', refused);
    outages.log('warn', 'a retry', {});
    outages.log('error', 'records were lost', {});
    expect(outages.trouble).toBe('Kafka is unavailable at k1:9092: connection refused');
    await vi.advanceTimersByTimeAsync(10_000);
    outages.answered('k1:9092');
    await vi.advanceTimersByTimeAsync(5_000);
    outages.log('warn', 'after', {});
    outages.log('warn', 'after', { failuresInARow: 2 });
    outages.log('warn', 'after', { partition: 1 });
    expect(outages.trouble).toBeUndefined();
    expect(vi.getTimerCount()).toBe(0);
    expect(lines).toEqual([
      'warn before',
      'debug a retry',
      'error records were lost',
      'warn Kafka is unavailable at k1:9092: connection refused; retrying',
      'info Kafka is reachable again after 10 s',
      'warn after',
      'debug after',
      'warn after',
    ]);
  });
});
