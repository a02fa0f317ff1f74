/** Limits of `POST /events`, for one request and for all of them together. */
export const limits = {
  /** Bytes of a body that is not NDJSON, decompressed: an array, or an object over several lines. */
  jsonBytes: 20 * 1024 * 1024,
  /** Bytes of any body, decompressed, so that every request ends. */
  bodyBytes: 1024 * 1024 * 1024,
  /** Bytes of one event; no log accepts larger records. */
  eventBytes: 16 * 1024 * 1024,
  /** Bytes of a batch, so that a long body does not block other writes. */
  batchBytes: 512 * 1024,
  /** How long an event waits for its batch to fill. */
  lingerMs: 50,
  /** Rejected events that a response lists; the others are only counted. */
  listedRejections: 100,
  /** Rejected events after which the rest of the body is not read. */
  rejections: 10_000,
  /** Event types that a response counts one by one. */
  listedTypes: 100,
  /** Event ids by which copies from other sessions are found, over all requests; each takes about 150 bytes. */
  copiedIds: 200_000,
  /** Bytes that are read but not yet in the log, over all requests. */
  bufferedBytes: 128 * 1024 * 1024,
  /** How long a request may work on a part of its body before its progress is checked. */
  patienceMs: 10_000,
  /** The least progress; a tenth of the usual one with the shortest events. */
  bytesPerSecond: 512 * 1024,
  /** Concurrent requests. */
  concurrentRequests: 1_000,
} as const;
