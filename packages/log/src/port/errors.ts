/** Every way the log can refuse; codes are for machines and metric labels, messages for people. */
export const logErrorCodes = [
  /** No broker answered in time. */
  'broker_unreachable',
  /** A topic that is needed does not exist; Loopwatch never creates one on the quiet. */
  'topic_missing',
  /** No TLS connection came about: a certificate is missing or not trusted, or one side does not speak TLS. */
  'tls_failed',
  /** The brokers refused the credentials. */
  'authentication_failed',
  /** The credentials are good, but not allowed to do this. */
  'not_authorized',
  /** The partition went to another member of the group; its new owner gets the batch again. */
  'partition_lost',
  /** The brokers refused nothing, but did not say either that they have what was to be written. */
  'not_written',
  /** The log does not take a record this large. */
  'record_too_large',
  /** Another process uses the data folder. */
  'data_dir_locked',
  /** Another source of this process reads the topic with the same group. */
  'group_in_use',
  /** The log, source or sink is closed, or was never opened. */
  'log_closed',
  /** The embedded log's database is damaged, or has a format that this version does not read. */
  'corrupt_log',
  /** The embedded log's folder cannot be read or written: full disk, missing right. */
  'storage_failed',
  /** A name that cannot be a topic or a group. */
  'invalid_name',
  /** Anything else; the message carries what was said. */
  'request_failed',
] as const;

export type LogErrorCode = (typeof logErrorCodes)[number];

/** What this package throws: `message` names what failed, where, and how to fix it; `cause` is the original error. */
export class LogError extends Error {
  override readonly name = 'LogError';
  readonly code: LogErrorCode;

  constructor(code: LogErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
