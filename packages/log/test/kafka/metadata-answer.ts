/** What a broker says of a partition. */
export interface PartitionAnswer {
  readonly topic: string;
  readonly partition: number;
  readonly error: number;
  readonly leader: number;
}

/** Changes what a Metadata answer says of partitions, or takes them out of it: in version 6, the one kafkajs asks for. */
export function editMetadata(
  answer: Buffer,
  edit: (partition: PartitionAnswer) => PartitionAnswer | undefined,
): Buffer {
  let at = 8; // correlation id, throttle time
  const int16 = () => answer.readInt16BE((at += 2) - 2);
  const int32 = () => answer.readInt32BE((at += 4) - 4);
  const string = () => {
    const length = Math.max(0, int16());
    at += length;
    return answer.toString('utf8', at - length, at);
  };
  const each = <T>(read: () => T): T[] => Array.from({ length: int32() }, read);
  each(() => [int32(), string(), int32(), string()]); // brokers
  string(); // cluster
  int32(); // controller
  const parts = [answer.subarray(0, at + 4)];
  each(() => {
    const start = at;
    int16(); // error
    const topic = string();
    at += 1; // internal
    const head = answer.subarray(start, at);
    const partitions = each(() => {
      const [error, partition, leader] = [int16(), int32(), int32()];
      const rest = at;
      for (let i = 0; i < 3; i += 1) each(int32); // replicas, in sync, offline
      const edited = edit({ topic, partition, error, leader });
      if (edited === undefined) return [];
      const fixed = Buffer.alloc(10);
      fixed.writeInt16BE(edited.error);
      fixed.writeInt32BE(edited.partition, 2);
      fixed.writeInt32BE(edited.leader, 6);
      return [fixed, answer.subarray(rest, at)];
    }).filter((bytes) => bytes.length > 0);
    const count = Buffer.alloc(4);
    count.writeInt32BE(partitions.length);
    parts.push(head, count, ...partitions.flat());
  });
  return Buffer.concat(parts);
}
