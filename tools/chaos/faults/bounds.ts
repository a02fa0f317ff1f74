import { timeouts } from '../../../packages/log/src/kafka/client/timeouts.ts';
import { LONGEST_PAUSE_MS } from '../../../packages/log/src/port/task-loop.ts';

/** A node of the test's cluster is missed after this time, ms (`broker.session.timeout.ms`). */
const BROKER_SESSION_MS = 3_000;

/** Work failed, or its connection did: the client connects again, and the partition starts from its last commit. */
const retried = timeouts.retry + LONGEST_PAUSE_MS;
/** The group moves partitions: members learn of it by a heartbeat, and the new owner starts. */
const moved = timeouts.session / timeouts.heartbeatsPerSession + retried;
/** A member is missed, and its partitions move. */
const missed = timeouts.session + moved;
/** A broker is missed, connections to it end, and its partitions and coordinators move to others. */
const brokerMissed = BROKER_SESSION_MS + timeouts.answer + retried;

/** How long a partition may be without a commit after a fault, in milliseconds from its begin or its end. */
export interface Bound {
  readonly from: 'begin' | 'end';
  readonly ms: number;
}

const after = (from: Bound['from'], ms: number): Bound => ({ from, ms });

/** One bound for each way in which the group or the cluster recovers, from the settings of Loopwatch and Kafka. */
export const bounds = {
  /** Nothing is lost but a connection or a step. */
  retried: after('begin', retried),
  /** Nothing can move, because the worker or the broker is not missed: work goes on when the fault ends. */
  returned: after('end', timeouts.answer + retried),
  /** A worker leaves or joins. */
  moved: after('begin', moved),
  /** A worker stops answering. */
  missed: after('begin', missed),
  /** A broker stops answering. */
  brokerMissed: after('begin', brokerMissed),
  /** Both at once: the group's new coordinator gives its members a whole session again. */
  bothMissed: after('begin', brokerMissed + missed),
  /** Two of three brokers: nothing can be written before one of them is back. */
  majorityMissed: after('end', brokerMissed),
} as const satisfies Record<string, Bound>;
