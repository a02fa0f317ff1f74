/** A running broker. */
export interface BrokerProcess {
  /** Resolves when it has exited, for any reason. */
  readonly exited: Promise<void>;
  /** Freezes it: connections stay open and nothing responds. */
  suspend(): void | Promise<void>;
  resume(): void | Promise<void>;
  /** Shuts it down cleanly: data is flushed and its partitions are handed over. */
  stop(): Promise<void>;
  /** Kills it (SIGKILL), frozen or not. */
  kill(): Promise<void>;
  /** Its output, for the error of a failed start. */
  output(): Promise<string>;
}

/** Runs one broker, repeatedly with the same data and address. */
export interface BrokerRunner {
  readonly address: string;
  launch(): Promise<BrokerProcess>;
  /** Removes the data. */
  dispose(): Promise<void>;
}
