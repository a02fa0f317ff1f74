/** Error codes for programs and metric labels; messages are for people. */
export type LogErrorCode =
  /** No broker answered in time. */
  | 'broker_unreachable'
  /** A required topic does not exist; Loopwatch does not create topics on its own. */
  | 'topic_missing'
  /** The TLS handshake failed: a certificate is missing or not trusted, or one side does not use TLS. */
  | 'tls_failed'
  /** The brokers refused the credentials. */
  | 'authentication_failed'
  /** The credentials are valid, but the user lacks a permission. */
  | 'not_authorized'
  /** The partition was assigned to another member of the group, which processes the batch again. */
  | 'partition_lost'
  /** The brokers reported no error, but did not confirm the write either. */
  | 'not_written'
  /** The record exceeds the size limit. */
  | 'record_too_large'
  /** The topic holds as much as it may that has not been processed; try again later. */
  | 'log_full'
  /** Another runner of this process reads the topic with the same group. */
  | 'group_in_use'
  /** The log, runner or sink is closed, or was never opened. */
  | 'log_closed'
  /** The embedded log's database is damaged, or has a format that this version does not read. */
  | 'corrupt_log'
  /** The embedded log's folder cannot be read or written: full disk, missing permission. */
  | 'storage_failed'
  /** Not a valid name for a topic or group. */
  | 'invalid_name'
  /** The schema registry, or one of its schemas, cannot be had at present. */
  | 'registry_unavailable'
  /** Anything else; the message holds the original error. */
  | 'request_failed';

/** Thrown by this package: `message` says what failed, where, and how to fix it; `cause` is the original error. */
export class LogError extends Error {
  override readonly name = 'LogError';
  readonly code: LogErrorCode;

  constructor(code: LogErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** Of a sink that was not opened, or is closed. */
export function sinkNotOpen(): LogError {
  return new LogError('log_closed', 'Cannot write: the event log is not open, as when a process stops.');
}
