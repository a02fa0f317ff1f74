/** The messages between the bench and its server process. */

export interface ServerOptions {
  /** Kafka; without it, the embedded log. */
  readonly brokers?: readonly string[];
  /** PostgreSQL; without it, the embedded database. */
  readonly databaseUrl?: string;
}

export type Task =
  | { readonly kind: 'fill'; readonly verdicts: number }
  | { readonly kind: 'flow'; readonly perSecond: number; readonly seconds: number };

export interface Answer {
  readonly verdicts: number;
  /** Time from sending the first until storing the last. */
  readonly ms: number;
  /** CPU time of the server process, all threads. */
  readonly cpuMs: number;
  /** Event loop lag of the server. */
  readonly loopP99Ms: number;
  readonly loopMaxMs: number;
}

export interface Flow extends Answer {
  /** Maximum number of verdicts sent and not yet stored. */
  readonly mostBehind: number;
  readonly sentMs: number;
  /** Time from sending the last until storing the last. */
  readonly behindMs: number;
}
