import { type Settings, topicNames } from '@loopwatch/contract';
import type { KafkaRight } from '@loopwatch/log';

/** A right in Kafka, and who makes use of it. */
export interface NeededRight extends KafkaRight {
  readonly neededBy: readonly ('worker' | 'server' | 'produce' | 'gateway')[];
}

/** All rights that the commands need; `start` needs those of the worker and of the server. */
export function neededRights({ kafka }: Settings): NeededRight[] {
  const names = topicNames(kafka.topics);
  const topic = (
    name: string,
    operation: KafkaRight['operation'],
    ...neededBy: NeededRight['neededBy']
  ): NeededRight => ({ resource: 'topic', name, operation, neededBy });
  return [
    topic(names.events, 'Read', 'worker', 'server'),
    topic(names.events, 'Write', 'produce', 'server', 'gateway'),
    topic(names.control, 'Read', 'worker', 'server', 'gateway'),
    topic(names.control, 'Write', 'server', 'gateway'),
    topic(names.sessions, 'Read', 'server'),
    topic(names.triage, 'Read', 'server'),
    topic(names.triage, 'Write', 'server'),
    topic(names.verdicts, 'Write', 'worker', 'gateway'),
    topic(names.verdicts, 'Read', 'server'),
    topic(names.sessions, 'Write', 'worker'),
    topic(names.checks, 'Write', 'worker'),
    topic(names['dead-letters'], 'Write', 'worker'),
    topic(names.state, 'Read', 'worker'),
    topic(names.state, 'Write', 'worker'),
    { resource: 'group', name: kafka.group, operation: 'Read', neededBy: ['worker'] },
    ...(kafka.delivery === 'exactly_once'
      ? [
          // One for each partition.
          {
            ...({ resource: 'transactional-id', name: `${kafka.group}/`, prefix: true } as const),
            ...({ operation: 'Write', neededBy: ['worker'] } as const),
          },
        ]
      : []),
  ];
}
