import { type AgentEvent, agentEvents } from './agent.ts';
import type { Random } from './random.ts';

/** A record as it is produced; `timestamp` is event time, epoch ms. */
export interface ProducedRecord {
  readonly key: string | null;
  readonly value: string | null;
  readonly timestamp: number;
}

export interface TrafficOptions {
  /** Event time of the first record, epoch ms. */
  readonly startsAt: number;
  /** Event time between two records, ms. */
  readonly stepMs: number;
  /** Event time after which a session restarts, ms: some pause for longer, and return. */
  readonly idleMs: number;
  readonly random: Random;
}

/** brisk: dozens of events, then the end. patient: an occasional event, forever. absent: returns after a long pause. */
type Habit = 'brisk' | 'patient' | 'absent';

interface Session {
  readonly id: string;
  readonly habit: Habit;
  readonly events: Generator<AgentEvent, never>;
  /** Whether its events have ids. */
  readonly named: boolean;
  /** Events until it ends, or pauses. */
  left: number;
  count: number;
  /** Event time of its latest event. */
  spokeAt: number;
  /** Event time before which it sends nothing. */
  silentUntil: number;
}

const BRISK_SESSIONS = 60;
const PATIENT_SESSIONS = 40;
const ABSENT_SESSIONS = 20;

const badRecords: readonly Omit<ProducedRecord, 'timestamp'>[] = [
  { key: 'broken', value: '{"v":1,"type":"content","te' },
  { key: 'broken', value: '[1, 2, 3]' },
  { key: 'broken', value: '{"v":1,"type":"content"}' },
  { key: 'broken', value: null },
  { key: null, value: '{"v":1,"type":"turn_started"}' },
];

/** The records of many concurrent agents, the same for the same seed. */
export class Traffic {
  readonly #options: TrafficOptions;
  readonly #sessions: Session[] = [];
  #time: number;
  #opened = 0;

  constructor(options: TrafficOptions) {
    this.#options = options;
    this.#time = options.startsAt;
    const habits = [
      ...Array.from({ length: BRISK_SESSIONS }, () => 'brisk' as const),
      ...Array.from({ length: PATIENT_SESSIONS }, () => 'patient' as const),
      ...Array.from({ length: ABSENT_SESSIONS }, () => 'absent' as const),
    ];
    for (const habit of habits) this.#sessions.push(this.#open(habit));
  }

  /** All sessions are silent for a while, ms of event time. */
  pause(ms: number): void {
    this.#time += ms;
  }

  next(): ProducedRecord {
    const { random, stepMs } = this.#options;
    this.#time += stepMs;
    const timestamp = this.#time;
    if (random.chance(1 / 400)) return { ...random.pick(badRecords), timestamp };
    const index = this.#speaker();
    const session = this.#sessions[index] as Session;
    const record = this.#say(session, timestamp);
    session.left -= 1;
    if (session.left === 0) this.#pauseOrReplace(index, session);
    return record;
  }

  #say(session: Session, timestamp: number): ProducedRecord {
    const { random, idleMs } = this.#options;
    const event = session.events.next().value;
    // A producer that retries sends the id of the event before; not after a pause in which a worker may free the session,
    // because a session that was freed has forgotten its ids, and one that was not has not.
    const isRetry = random.chance(1 / 100) && timestamp - session.spokeAt <= 2 * idleMs;
    if (session.count === 0 || !isRetry) session.count += 1;
    session.spokeAt = timestamp;
    const envelope = {
      v: 1,
      ...(session.named && { id: `${session.id}-${session.count}` }),
      sessionId: session.id,
    };
    return { key: session.id, value: JSON.stringify({ ...envelope, time: timestamp, ...event }), timestamp };
  }

  /** Brisk sessions send most of the events. */
  #speaker(): number {
    const { random } = this.#options;
    for (;;) {
      const index = random.between(0, this.#sessions.length - 1);
      const { habit, silentUntil } = this.#sessions[index] as Session;
      if (silentUntil > this.#time) continue;
      if (habit === 'patient' && !random.chance(1 / 10)) continue;
      return index;
    }
  }

  #pauseOrReplace(index: number, session: Session): void {
    const { random, idleMs } = this.#options;
    if (session.habit === 'absent') {
      session.left = random.between(10, 60);
      session.silentUntil = this.#time + idleMs * (0.3 + 2.7 * random.unit());
    } else {
      this.#sessions[index] = this.#open(session.habit);
    }
  }

  #open(habit: Habit): Session {
    const random = this.#options.random.fork();
    this.#opened += 1;
    return {
      id: `${habit}-${this.#opened}`,
      habit,
      events: agentEvents(random),
      named: random.chance(0.8),
      left: habit === 'patient' ? Number.POSITIVE_INFINITY : random.between(20, 200),
      count: 0,
      spokeAt: 0,
      silentUntil: 0,
    };
  }
}
