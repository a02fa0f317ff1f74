/** The times, in milliseconds, after which a worker, a group or a broker gives up waiting: they bound how long a recovery takes. */
export const timeouts = {
  /** Without a heartbeat, a member loses its partitions; brokers require 6,000 or more. */
  session: 10_000,
  /** Between heartbeats, whose answers tell a member that the group rebalances: this part of the session timeout. */
  heartbeatsPerSession: 10,
  /** A transaction left open is aborted, and consumers that read committed records go on. */
  transaction: 30_000,
  /**
   * A connection that does not answer is closed: longer than a broker takes to drop a lagging replica from the in-sync set, which
   * a write with acks=all may wait for.
   */
  answer: 15_000,
  /** The longest pause before a client tries again. */
  retry: 2_000,
} as const;
