/** A running broker. */
export interface BrokerProcess {
  /** Resolves when it is no more, for whatever reason. */
  readonly exited: Promise<void>;
  /** Freezes it: connections stay open and nothing answers. */
  suspend(): void | Promise<void>;
  resume(): void | Promise<void>;
  /** Ends it in order: what it holds is written, its partitions are handed over. */
  stop(): Promise<void>;
  /** Ends it at once (SIGKILL), frozen or not. */
  kill(): Promise<void>;
  /** What it has said, for the message of a failed start. */
  output(): Promise<string>;
}

/** A place to run one broker in, again and again with the same data and address. */
export interface BrokerRunner {
  readonly address: string;
  launch(): Promise<BrokerProcess>;
  /** Removes the data. */
  dispose(): Promise<void>;
}
