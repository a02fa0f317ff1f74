import type { KafkaBroker, KafkaCluster } from './cluster.ts';
import { Decoder, Encoder } from './kafkajs.ts';

const METADATA_API = 3;
/** The first version with ids, since Kafka 2.8. */
const VERSION = 10;
const NO_ID = '0'.repeat(32);

/**
 * The id of a topic, by the leader of the partition. A topic that is deleted and created again has the same name, and another
 * id. kafkajs knows no ids.
 *
 * @returns `undefined` when the leader is too old to know ids, or does not know the topic
 */
export async function topicIdOf(
  cluster: KafkaCluster,
  { topic, partition }: { readonly topic: string; readonly partition: number },
): Promise<string | undefined> {
  await cluster.addMultipleTargetTopics([topic]);
  const partitions = cluster.findTopicPartitionMetadata(topic);
  const leader = partitions.find(({ partitionId }) => partitionId === partition)?.leader ?? -1;
  const broker = await (leader === -1
    ? cluster.findControllerBroker()
    : cluster.findBroker({ nodeId: leader }));
  return ask(broker, topic);
}

async function ask(broker: KafkaBroker, topic: string): Promise<string | undefined> {
  if ((broker.versions[METADATA_API]?.maxVersion ?? 0) < VERSION) return undefined;
  const encode = () => Promise.resolve(encodeRequest(topic));
  const { id } = await broker.connectionPool.send<{ readonly id: string | undefined }>({
    request: { apiKey: METADATA_API, apiName: 'Metadata', apiVersion: VERSION, encode },
    response: {
      decode: (payload) => Promise.resolve({ id: decodeId(payload) }),
      parse: (answer) => Promise.resolve(answer),
    },
  });
  return id;
}

/** kafkajs writes the header of older versions: the tagged fields after it belong to the header, too. */
function encodeRequest(topic: string): Encoder {
  const one = 2;
  const noFields = 0;
  return new Encoder()
    .writeUVarInt(noFields)
    .writeUVarInt(one)
    .writeInt64('0')
    .writeInt64('0')
    .writeUVarIntString(topic)
    .writeUVarInt(noFields)
    .writeBoolean(false)
    .writeBoolean(false)
    .writeBoolean(false)
    .writeUVarInt(noFields);
}

function decodeId(payload: Buffer): string | undefined {
  const decoder = new Decoder(payload);
  decoder.readTaggedFields();
  decoder.readInt32(); // throttle time
  decoder.readUVarIntArray(() => {
    decoder.readInt32(); // node
    decoder.readUVarIntString();
    decoder.readInt32(); // port
    decoder.readUVarIntString(); // rack
    decoder.readTaggedFields();
    return undefined;
  });
  decoder.readUVarIntString(); // cluster
  decoder.readInt32(); // controller
  decoder.readUVarInt(); // one topic
  const error = decoder.readInt16();
  decoder.readUVarIntString();
  const id = payload.subarray(decoder.offset, decoder.offset + NO_ID.length / 2).toString('hex');
  return error !== 0 || id === NO_ID ? undefined : id;
}
