import { nameOf, type TopicPartition } from '../../port/task.ts';

/** As which member a consumer takes part in a generation of its group. */
export interface GroupMember {
  readonly memberId: string;
  /** Each rebalance of the group has the next one. */
  readonly generationId: number;
}

/** Lasts as long as a partition is owned without interruption. */
export type Tenure = symbol;

/** The partitions of a group member, and since when it has owned each of them without interruption. */
export class Ownership {
  #member: GroupMember | undefined;
  #partitions: readonly TopicPartition[] = [];
  #tenures: ReadonlyMap<string, Tenure> = new Map();

  get member(): GroupMember | undefined {
    return this.#member;
  }

  get partitions(): readonly TopicPartition[] {
    return this.#partitions;
  }

  /** @returns whether others may have owned the partitions meanwhile, because a generation is missing */
  assign(member: GroupMember, partitions: readonly TopicPartition[]): boolean {
    const isInterrupted = this.#member !== undefined && member.generationId !== this.#member.generationId + 1;
    const before = isInterrupted ? undefined : this.#tenures;
    this.#member = member;
    this.#partitions = partitions;
    this.#tenures = new Map(partitions.map(nameOf).map((name) => [name, before?.get(name) ?? Symbol(name)]));
    return isInterrupted;
  }

  /** `undefined` for a partition of another member. */
  tenureOf(topicPartition: TopicPartition): Tenure | undefined {
    return this.#tenures.get(nameOf(topicPartition));
  }
}
