import type { RecordMetadata } from 'kafkajs';
import { LogError } from '../../port/errors.ts';
import type { Lot } from './routing.ts';

/** Partitions by topic, as requests of a transaction name them. */
export interface TopicPartitions {
  readonly topic: string;
  readonly partitions: readonly number[];
}

/**
 * kafkajs passes on what brokers refuse, and takes what they do not speak of for done: it leaves out a partition that is
 * missing from its metadata, and confirms it all the same.
 *
 * @param end the offset that the partition ended at before: a broker that takes records for a repetition answers with
 *   the place of the first ones
 * @returns the offset behind the lot
 * @throws LogError `not_written`
 */
export function requireAppended(lot: Lot, answers: readonly RecordMetadata[], end: number): number {
  const { topic, partition, messages } = lot;
  const answer = answers.find((each) => each.topicName === topic && each.partition === partition);
  const offset = Number(answer?.baseOffset ?? -1);
  if (offset >= end && offset >= 0) return offset + messages.length;
  const count = `${messages.length} record${messages.length === 1 ? '' : 's'}`;
  const reason =
    offset < 0
      ? 'no broker says where it has put them'
      : `the broker says it has them at offset ${offset}, but the partition ended at ${end} before they were sent`;
  throw new LogError('not_written', `${count} for ${topic}/${partition} were not written: ${reason}.`);
}

/**
 * @param what what was asked for these partitions, as in "Kafka did not confirm <what>"
 * @throws LogError `not_written` when an answer without errors leaves out a partition
 */
export function requireAnswered(
  what: string,
  asked: readonly TopicPartitions[],
  answered: readonly TopicPartitions[],
): void {
  const named = new Set(answered.flatMap(placesOf));
  const silent = asked.flatMap(placesOf).filter((place) => !named.has(place));
  if (silent.length === 0) return;
  throw new LogError('not_written', `Kafka did not confirm ${what} for ${silent.join(', ')}.`);
}

function placesOf({ topic, partitions }: TopicPartitions): string[] {
  return partitions.map((partition) => `${topic}/${partition}`);
}
