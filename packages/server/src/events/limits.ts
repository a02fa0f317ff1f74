/** What one request, and all of them together, may ask of `POST /events`. */
export const limits = {
  /** Bytes of a body that is not lines, decompressed: an array, or an object over several lines. */
  jsonBytes: 20 * 1024 * 1024,
  /** Bytes of any body, decompressed, so that no request goes on for ever. */
  bodyBytes: 1024 * 1024 * 1024,
  /** Bytes of one event; no log takes larger records. */
  eventBytes: 16 * 1024 * 1024,
  /** Bytes that go to the log at once, so that a long body keeps nothing else waiting. */
  batchBytes: 512 * 1024,
  /** How long events wait for more of their lot. */
  lingerMs: 50,
  /** Refused events that an answer lists; the rest is counted. */
  listed: 100,
  /** After so many refused events nothing more of the body is read. */
  refused: 10_000,
  /** Types that an answer counts one by one. */
  listedTypes: 100,
  /** Bytes that are read and not yet in the log, all requests together. */
  bufferedBytes: 128 * 1024 * 1024,
  /** Requests at once. */
  concurrentRequests: 1_000,
} as const;
