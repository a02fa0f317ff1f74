/** Bytes that wait for a client of a stream or socket before it has to read. */
export const MAX_WAITING_BYTES = 256 * 1024;
