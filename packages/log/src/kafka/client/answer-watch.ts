import type { Duplex } from 'node:stream';

/** JoinGroup and SyncGroup: a broker answers them only after the other group members have sent theirs. */
const groupRequests = new Set([11, 14]);
/** Longer than a broker takes to drop a lagging replica from the in-sync set, which a write with acks=all may wait for. */
const answerMs = 15_000;
/** Longer than a rebalance may take (kafkajs' `rebalanceTimeout` is one minute). */
const groupAnswerMs = 90_000;
/** A request starts with its size, four bytes, followed by its API key. */
const apiKeyAt = 4;

/**
 * Closes a connection on which requests are no longer answered.
 *
 * kafkajs times out a single request after half a minute and retries it on the same broker. When a machine hangs or the
 * network drops packets, the connection stays open, and kafkajs never asks another broker for the new leader. Closing the
 * connection makes it do so.
 */
export function watchAnswers(socket: Duplex, onTimeout: () => void = () => undefined): void {
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
  let timer: NodeJS.Timeout | undefined;
  const answered = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  socket.write = (...args: unknown[]): boolean => {
    if (timer === undefined) {
      const ms = timeoutFor(args[0]);
      timer = setTimeout(() => {
        onTimeout();
        socket.destroy(new Error(`no answer within ${ms / 1000} seconds`));
      }, ms);
      timer.unref();
    }
    return write(...args);
  };
  socket.on('data', answered);
  socket.on('close', answered);
}

function timeoutFor(request: unknown): number {
  const hasKey = Buffer.isBuffer(request) && request.length >= apiKeyAt + 2;
  return hasKey && groupRequests.has(request.readInt16BE(apiKeyAt)) ? groupAnswerMs : answerMs;
}
