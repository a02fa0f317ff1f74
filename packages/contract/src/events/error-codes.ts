/** The codes of dead letters, also the `reason` label of `loopwatch_dead_letters_total`, and their meaning. */
export const deadLetterReasons = {
  empty_value: 'the record has no value (a tombstone)',
  not_json: 'the value is not JSON',
  not_an_object: 'the value is JSON, but not an object',
  invalid_event: 'the value does not match the event schema',
  unknown_format: 'the format of the record is unknown, or differs from the requested one',
  missing_session: 'neither the value nor the key contains a session id',
  too_complex:
    'the value is nested too deeply or has too many parts to analyze without delaying other records',
  undecodable:
    'the value names a schema of a schema registry, and cannot be decoded: no registry is configured, it does not know the schema, or the value does not fit it',
  batch_too_large:
    'the record batch is larger than 64 MiB when decompressed; the dead letter is the raw batch',
  unreadable_batch:
    'the record batch is corrupt, or its format or compression is unknown; the dead letter is the raw batch',
  processing_failed: 'processing the record failed several times in a row',
  invalid_record:
    'a verdict, summary, setting or triage record does not match its schema; the server stores the others',
  not_stored: 'the database refuses the record, on its own and more than once; the server stores the others',
} as const;

export type DeadLetterReason = keyof typeof deadLetterReasons;

/** The codes of events that the API rejects. */
export const eventRefusals = {
  ...deadLetterReasons,
  too_large: 'the event is larger than the log accepts',
  not_allowed: 'a `control` event, and the token is one of the role producer',
} as const;

export type EventRefusal = keyof typeof eventRefusals;
