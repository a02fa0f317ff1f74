/**
 * Why a record could not be read: the closed list behind dead letters and the `reason` label of
 * `loopwatch_dead_letters_total`. Messages are for people, codes for machines.
 */
export const deadLetterReasons = {
  empty_value: 'the record has no value (a tombstone)',
  not_json: 'the value is not JSON',
  not_an_object: 'the value is JSON, but not an object',
  invalid_event: 'the value does not fit the event schema',
  unknown_format: 'the record is of no known format, or of another one than was named',
  missing_session: 'neither the value nor the key names a session',
  too_complex:
    'the value is nested too deeply, or made of too many parts, to be analyzed without holding up others',
  batch_too_large:
    'the record batch unpacks to more than 64 MiB; the dead letter is the batch as it lies in the log',
  unreadable_batch:
    'the record batch is damaged, or of an unknown format or compression; the dead letter is the batch as it lies in the log',
  processing_failed: 'the record made processing fail several times in a row',
} as const;

export type DeadLetterReason = keyof typeof deadLetterReasons;

/** Why the API refuses a posted event: its `code`. */
export const eventRefusals = {
  ...deadLetterReasons,
  too_large: 'the event has more bytes than the log takes',
} as const;

export type EventRefusal = keyof typeof eventRefusals;

/** The headers a dead letter gains beside those of the original record. */
export const deadLetterHeaders = {
  code: 'loopwatch-error-code',
  message: 'loopwatch-error-message',
  topic: 'loopwatch-topic',
  partition: 'loopwatch-partition',
  offset: 'loopwatch-offset',
  /** Of a record batch that is one dead letter. */
  lastOffset: 'loopwatch-last-offset',
  /** Where something was cut off: the original sizes in bytes, as JSON with `key`, `value` and `headers`. */
  truncated: 'loopwatch-truncated',
  /** SHA-256 of the original value, in hexadecimal; where the value was cut off. */
  sha256: 'loopwatch-sha256',
} as const;
