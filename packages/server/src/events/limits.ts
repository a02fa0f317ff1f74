/** What one request, and all of them together, may ask of `POST /events`. */
export const limits = {
  /** Bytes of a body, decompressed. */
  bodyBytes: 20 * 1024 * 1024,
  /** Bytes of one event; no log takes larger records. */
  eventBytes: 16 * 1024 * 1024,
  /** Refused events that an answer lists; the rest is counted. */
  listed: 100,
  /** After so many refused events nothing more of the body is read. */
  refused: 10_000,
  /** Types that an answer counts one by one. */
  listedTypes: 100,
  /** Bytes of bodies that wait for the log, all requests together. */
  heldBytes: 128 * 1024 * 1024,
  /** Requests that wait for the log. */
  heldRequests: 1_000,
} as const;
