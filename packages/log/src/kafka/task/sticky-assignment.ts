import type { TopicPartition } from '../../port/task.ts';

/** A group member and the partitions it claims to own. */
export interface Claim {
  readonly memberId: string;
  readonly owned: readonly TopicPartition[];
  /** Whether the member has been in the group long enough to take partitions from others. */
  readonly isSettled: boolean;
}

/**
 * Distributes partitions evenly among the members and moves as few as possible, because a partition that stays needs no
 * recovery. Unowned partitions go to the member with the fewest; of two claims to the same partition, the first counts.
 *
 * A member that has just joined gets nothing as long as there are others: it may have been killed while it joined, and the
 * coordinator counts it until its session times out.
 *
 * @returns the partitions of each member, all members included
 */
export function assignSticky(
  partitions: readonly TopicPartition[],
  claims: readonly Claim[],
): Map<string, TopicPartition[]> {
  const members = [...claims].sort((a, b) => compare(a.memberId, b.memberId));
  const assigned = new Map<string, TopicPartition[]>(members.map(({ memberId }) => [memberId, []]));
  const proven = members.filter(({ owned, isSettled }) => isSettled || owned.length > 0);
  const candidates = proven.length > 0 ? proven : members;
  if (candidates.length === 0) return assigned;
  const free = new Map(partitions.map((topicPartition) => [nameOf(topicPartition), topicPartition]));
  const least = Math.floor(partitions.length / candidates.length);
  /** How many members get one partition more than `least`. */
  let extras = partitions.length - least * candidates.length;
  for (const { memberId, owned } of candidates) {
    const mine = assigned.get(memberId) ?? [];
    for (const claim of owned) {
      const topicPartition = free.get(nameOf(claim));
      if (topicPartition === undefined || mine.length > least || (mine.length === least && extras === 0))
        continue;
      if (mine.length === least) extras -= 1;
      mine.push(topicPartition);
      free.delete(nameOf(topicPartition));
    }
  }
  for (const topicPartition of free.values()) {
    const lists = candidates.map(({ memberId }) => assigned.get(memberId) ?? []);
    lists.reduce((a, b) => (b.length < a.length ? b : a)).push(topicPartition);
  }
  return assigned;
}

function nameOf({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
