/** A running broker. */
export interface BrokerProcess {
  /** Resolves when it is no more, for whatever reason. */
  readonly exited: Promise<void>;
  /** Freezes it: connections stay open and nothing answers. */
  suspend(): void | Promise<void>;
  resume(): void | Promise<void>;
  stop(): Promise<void>;
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
