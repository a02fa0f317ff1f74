/** Messages between the bench and its server process. */

export interface ServerOptions {
  /** Kafka; without it, the embedded log. */
  readonly brokers?: readonly string[];
  /** PostgreSQL; without it, the embedded database. */
  readonly databaseUrl?: string;
}

export type Task =
  | { readonly kind: 'fill'; readonly verdicts: number }
  | { readonly kind: 'flow'; readonly perSecond: number; readonly seconds: number };

export interface TaskResult {
  readonly verdicts: number;
  /** Time from sending the first until storing the last. */
  readonly ms: number;
  /** CPU time of the server process, all threads. */
  readonly cpuMs: number;
  /** Delay of the server's event loop. */
  readonly loopP99Ms: number;
  readonly loopMaxMs: number;
}

export interface FlowResult extends TaskResult {
  /** Maximum number of verdicts sent but not yet stored. */
  readonly maxBacklog: number;
  readonly sentMs: number;
  /** From the last sent to the last stored. */
  readonly drainMs: number;
}
