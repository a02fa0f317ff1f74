import type { Duplex } from 'node:stream';

/** Requests that a broker answers only when the other members of the group have been heard: JoinGroup and SyncGroup. */
const groupRequests = new Set([11, 14]);
/** Longer than a broker takes to give up on a replica that does not follow, which a write with acks=all waits for. */
const answerMs = 15_000;
/** Longer than a rebalance may take (`rebalanceTimeout` of kafkajs: a minute). */
const groupAnswerMs = 90_000;
/** A request is its size, four bytes, and then its number. */
const apiKeyAt = 4;

/**
 * Breaks a connection on which requests are not answered any more.
 *
 * kafkajs gives up a single request after half a minute, and then asks the same broker again: as long as the connection
 * stands, and with a machine that hangs or a network that swallows packets it does, no other broker is even asked who leads
 * now. A broken connection makes it look for one.
 */
export function watchAnswers(socket: Duplex, onSilence: () => void = () => undefined): void {
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
  let timer: NodeJS.Timeout | undefined;
  const answered = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  socket.write = (...args: unknown[]): boolean => {
    if (timer === undefined) {
      const ms = patienceFor(args[0]);
      timer = setTimeout(() => {
        onSilence();
        socket.destroy(new Error(`no answer within ${ms / 1000} seconds`));
      }, ms);
      timer.unref();
    }
    return write(...args);
  };
  socket.on('data', answered);
  socket.on('close', answered);
}

function patienceFor(request: unknown): number {
  const known = Buffer.isBuffer(request) && request.length >= apiKeyAt + 2;
  return known && groupRequests.has(request.readInt16BE(apiKeyAt)) ? groupAnswerMs : answerMs;
}
