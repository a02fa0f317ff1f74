// Only this file and `client/connection-buffers.ts` import the parts of kafkajs 2.2.4 that its types do not declare.
import Decoder from 'kafkajs/src/protocol/decoder.js';
import Encoder from 'kafkajs/src/protocol/encoder.js';
import errors from 'kafkajs/src/protocol/error.js';
import encodeFetchRequest from 'kafkajs/src/protocol/requests/fetch/v11/request.js';
import heartbeat from 'kafkajs/src/protocol/requests/heartbeat/index.js';
import joinGroup from 'kafkajs/src/protocol/requests/joinGroup/index.js';
import syncGroup from 'kafkajs/src/protocol/requests/syncGroup/index.js';
import type { ProtocolCall } from './cluster.ts';

const { createErrorFromCode } = errors;
/** Encodes a request of a member of a group. */
export type GroupRequest = (request: object) => ProtocolCall<unknown>;

/** The first versions with an instance id, which brokers know since Kafka 2.3. */
const encodeHeartbeat = heartbeat.protocol({ version: 3 }) as GroupRequest;
const encodeJoinGroup = joinGroup.protocol({ version: 5 }) as GroupRequest;
const encodeSyncGroup = syncGroup.protocol({ version: 3 }) as GroupRequest;

export {
  createErrorFromCode,
  Decoder,
  Encoder,
  encodeFetchRequest,
  encodeHeartbeat,
  encodeJoinGroup,
  encodeSyncGroup,
};
