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
  /**
   * Makes each write to a file fail, as on a full disk: a limit of file sizes, which needs no rights and no mount. Kafka
   * treats the error (EFBIG) like that of a full disk (ENOSPC).
   */
  refuseWrites?(): Promise<void>;
  /** Its output, for the error of a failed start. */
  output(): Promise<string>;
}

/** Launches a broker, repeatedly with the same data and address. */
export interface BrokerRunner {
  readonly address: string;
  /** The folder of its log, if it is on this machine. */
  readonly data?: string;
  launch(): Promise<BrokerProcess>;
  /** Removes the data. */
  dispose(): Promise<void>;
}
