import { storableText } from '../lib/names.ts';

/** The names of the record headers that Loopwatch reads and writes. */

/** Default header that names the format of a record from another producer. */
export const formatHeader = 'loopwatch-format';

/**
 * Header of an event whose producer has already analyzed it and written its verdicts: a worker only updates its state.
 * The value names the producer.
 */
export const analyzedByHeader = 'loopwatch-analyzed-by';

/** Version of the settings. Only servers and gateways write this and the headers below. */
export const settingsVersionHeader = 'loopwatch-settings-version';
/** The user who changed the settings. */
export const settingsByHeader = 'loopwatch-changed-by';
/** The gateway that wrote the record and has already applied it. */
export const settingsFromHeader = 'loopwatch-applied-by';

/**
 * Header of a tombstone that erases a session: of an event, whose session the worker forgets, and of what the worker and servers
 * write because of it. A tombstone without it is no erasure.
 */
export const erasedHeader = 'loopwatch-erased';

/** @returns the key of a tombstone that erases; undefined for any other record */
export function erasedKey(record: {
  readonly key: { toString: () => string } | null;
  readonly text: string | null;
  readonly headers?: Readonly<Record<string, unknown>>;
}): string | undefined {
  const { headers } = record;
  // First, because reading the text of a record decodes it.
  if (headers === undefined || !(erasedHeader in headers) || record.text !== null) return undefined;
  const name = storableText(record.key?.toString() ?? '');
  return name === '' ? undefined : name;
}

/** Headers of a dead letter, in addition to those of the original record. */
export const deadLetterHeaders = {
  code: 'loopwatch-error-code',
  message: 'loopwatch-error-message',
  topic: 'loopwatch-topic',
  partition: 'loopwatch-partition',
  offset: 'loopwatch-offset',
  /** Last offset of a record batch that became one dead letter. */
  lastOffset: 'loopwatch-last-offset',
  /** Present if anything was truncated: the original sizes in bytes, as JSON with `key`, `value` and `headers`. */
  truncated: 'loopwatch-truncated',
  /** Present if the value was truncated: its original SHA-256 in hexadecimal. */
  sha256: 'loopwatch-sha256',
} as const;
