/** A running broker. */
export interface BrokerProcess {
  /** Resolves when the process has exited. */
  readonly exited: Promise<void>;
  /** Freezes it: connections stay open without replies. */
  suspend(): void | Promise<void>;
  resume(): void | Promise<void>;
  /** Controlled shutdown: flushes data and hands over partitions. */
  stop(): Promise<void>;
  /** Sends SIGKILL, even if frozen. */
  kill(): Promise<void>;
  /** Its output, for the error of a failed start. */
  output(): Promise<string>;
}

/** Launches a broker, repeatedly with the same data and address. */
export interface BrokerRunner {
  readonly address: string;
  launch(): Promise<BrokerProcess>;
  /** Removes the data. */
  dispose(): Promise<void>;
}
