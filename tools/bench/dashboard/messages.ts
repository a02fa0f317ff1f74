/** What the bench and its server's process tell each other. */

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
  /** From the first sent to the last stored. */
  readonly ms: number;
  /** Of the server's process, all its threads. */
  readonly cpuMs: number;
  /** How late the server's event loop came. */
  readonly loopP99Ms: number;
  readonly loopMaxMs: number;
}

export interface Flow extends Answer {
  /** Verdicts that were sent and not stored yet, at most. */
  readonly mostBehind: number;
  readonly sentMs: number;
  /** From the last sent to the last stored. */
  readonly behindMs: number;
}
