/**
 * Why a record could not be read: the closed list behind dead letters and the `reason` label of
 * `loopwatch_dead_letters_total`. Messages are for people, codes for machines.
 */
export const deadLetterReasons = {
  empty_value: 'the record has no value (a tombstone)',
  not_json: 'the value is not JSON',
  not_an_object: 'the value is JSON, but not an object',
  invalid_event: 'the value does not fit the event schema',
  missing_session: 'neither the value nor the key names a session',
} as const;

export type DeadLetterReason = keyof typeof deadLetterReasons;

/** Why the API refuses a posted event: its `code`. */
export const eventRefusals = {
  ...deadLetterReasons,
  too_large: 'the event has more bytes than the log takes',
  too_deep: 'its arrays and objects are nested too deep',
  too_many_values: 'it has too many values to be read in one go',
} as const;

export type EventRefusal = keyof typeof eventRefusals;

/** The headers a dead letter gains beside those of the original record. */
export const deadLetterHeaders = {
  code: 'loopwatch-error-code',
  message: 'loopwatch-error-message',
  topic: 'loopwatch-topic',
  partition: 'loopwatch-partition',
  offset: 'loopwatch-offset',
} as const;
