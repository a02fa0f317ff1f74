import type { KafkaBroker } from '../internals/cluster.ts';
import { Decoder, Encoder } from '../internals/kafkajs.ts';

/**
 * Two requests in the versions that return the client's authorized operations; kafkajs only implements older versions.
 */

/** Codes of the allowed operations; undefined if the broker does not return them. */
type Allowed = ReadonlySet<number> | undefined;

const metadata = { apiKey: 3, apiName: 'Metadata', version: 8 };
const describeGroups = { apiKey: 15, apiName: 'DescribeGroups', version: 3 };
const TOPIC_AUTHORIZATION_FAILED = 29;
const GROUP_AUTHORIZATION_FAILED = 30;
/** The broker's value for "not requested" or "unknown". */
const UNKNOWN_OPERATIONS = -2_147_483_648;

/** Allowed operations by topic; a topic that does not exist has no entry. */
export async function describeTopics(
  broker: KafkaBroker,
  topics: readonly string[],
): Promise<[string, Allowed][]> {
  if (!knows(broker, metadata)) return [];
  const encoder = new Encoder().writeArray(topics);
  // Create topics that are missing, describe rights on the cluster, describe rights on the topics.
  encoder.writeBoolean(false).writeBoolean(false).writeBoolean(true);
  return send(broker, metadata, encoder, (decoder) => {
    decoder.readInt32(); // throttle time
    decoder.readArray(() => [
      decoder.readInt32(),
      decoder.readString(),
      decoder.readInt32(),
      decoder.readString(),
    ]);
    decoder.readString(); // cluster
    decoder.readInt32(); // controller
    return decoder.readArray(() => readTopic(decoder)).flat();
  });
}

function readTopic(decoder: Decoder): [string, Allowed][] {
  const error = decoder.readInt16();
  const name = decoder.readString() ?? '';
  decoder.readBoolean(); // internal
  decoder.readArray(() => {
    decoder.readInt16(); // error
    for (let i = 0; i < 3; i += 1) decoder.readInt32(); // partition, leader, leader's epoch
    for (let i = 0; i < 3; i += 1) decoder.readArray(() => decoder.readInt32()); // replicas, in sync, offline
  });
  const allowed = operationsIn(decoder.readInt32());
  if (error === TOPIC_AUTHORIZATION_FAILED) return [[name, new Set()]];
  return error === 0 ? [[name, allowed]] : [];
}

/** Allowed operations on a group, as reported by its coordinator. */
export async function describeGroup(coordinator: KafkaBroker, groupId: string): Promise<Allowed> {
  if (!knows(coordinator, describeGroups)) return undefined;
  const encoder = new Encoder().writeArray([groupId]).writeBoolean(true);
  return send(coordinator, describeGroups, encoder, (decoder) => {
    decoder.readInt32(); // throttle time
    const [group] = decoder.readArray(() => readGroup(decoder));
    return group;
  });
}

function readGroup(decoder: Decoder): Allowed {
  const error = decoder.readInt16();
  for (let i = 0; i < 4; i += 1) decoder.readString(); // group, state, type of protocol, protocol
  decoder.readArray(() => {
    for (let i = 0; i < 3; i += 1) decoder.readString(); // member, client, host
    for (let i = 0; i < 2; i += 1) decoder.readBytes(); // metadata, assignment
  });
  const allowed = operationsIn(decoder.readInt32());
  if (error === GROUP_AUTHORIZATION_FAILED) return new Set();
  return error === 0 ? allowed : undefined;
}

interface Api {
  readonly apiKey: number;
  readonly apiName: string;
  readonly version: number;
}

function knows(broker: KafkaBroker, { apiKey, version }: Api): boolean {
  const known = broker.versions[apiKey];
  return known !== undefined && known.minVersion <= version && known.maxVersion >= version;
}

function send<T>(
  broker: KafkaBroker,
  { apiKey, apiName, version }: Api,
  request: Encoder,
  read: (decoder: Decoder) => T,
): Promise<T> {
  const answer = broker.connectionPool.send<{ readonly read: T }>({
    request: { apiKey, apiName, apiVersion: version, encode: () => Promise.resolve(request) },
    response: {
      // kafkajs looks for a throttle time in the decoded value, so it has to be an object.
      decode: (payload) => Promise.resolve({ read: read(new Decoder(payload)) }),
      parse: (data) => Promise.resolve(data),
    },
  });
  return answer.then((data) => data.read);
}

/** Bit n stands for operation n. */
function operationsIn(bits: number): Allowed {
  if (bits === UNKNOWN_OPERATIONS) return undefined;
  return new Set(
    Array.from({ length: 31 }, (_, operation) => operation).filter(
      (operation) => (bits & (1 << operation)) !== 0,
    ),
  );
}
