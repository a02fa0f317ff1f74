import Connection from 'kafkajs/src/network/connection.js';

/** A frame starts with its size. */
const SIZE_BYTES = 4;
const { connect } = Connection.prototype;

/**
 * Makes connections of kafkajs begin without the bytes of a response that the previous connection left unfinished. kafkajs reads the
 * answers of the new connection as its continuation: none arrives until requests time out, again and again, or the process ends with
 * ERR_BUFFER_OUT_OF_BOUNDS.
 */
export function clearBuffersOnConnect(): void {
  Connection.prototype.connect = function connectEmpty(this: Connection) {
    if (!this.isConnected()) Object.assign(this, { chunks: [], bytesBuffered: 0, bytesNeeded: SIZE_BYTES });
    return connect.call(this);
  };
}
