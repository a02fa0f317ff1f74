import { type Settings, topicNames } from '@loopwatch/contract';
import type { KafkaRight } from '@loopwatch/log';

/** A Kafka permission and the commands that need it. */
export interface NeededRight extends KafkaRight {
  readonly neededBy: readonly ('worker' | 'server' | 'produce' | 'gateway')[];
}

/** Consumer group for the topics of other producers. */
export function sourceGroup(group: string): string {
  return `${group}-sources`;
}

/** All permissions that the commands need; `start` needs those of worker and server. */
export function neededRights({ kafka }: Settings): NeededRight[] {
  const names = topicNames(kafka.topics);
  const topic = (
    name: string,
    operation: KafkaRight['operation'],
    ...neededBy: NeededRight['neededBy']
  ): NeededRight => ({ resource: 'topic', name, operation, neededBy });
  const hasSources = Object.keys(kafka.sources).length > 0;
  const groups = hasSources ? [kafka.group, sourceGroup(kafka.group)] : [kafka.group];
  return [
    topic(names.events, 'Read', 'worker', 'server'),
    topic(names.events, 'Write', 'produce', 'server', 'gateway', ...(hasSources ? ['worker' as const] : [])),
    topic(names.control, 'Read', 'worker', 'server', 'gateway'),
    topic(names.control, 'Write', 'server', 'gateway'),
    topic(names.sessions, 'Read', 'server'),
    topic(names.triage, 'Read', 'server'),
    topic(names.triage, 'Write', 'server'),
    topic(names.verdicts, 'Write', 'worker', 'gateway'),
    topic(names.verdicts, 'Read', 'server'),
    topic(names.sessions, 'Write', 'worker'),
    topic(names.checks, 'Write', 'worker'),
    topic(names['dead-letters'], 'Write', 'worker', 'server'),
    topic(names['dead-letters'], 'Read', 'server'),
    topic(names.state, 'Read', 'worker'),
    topic(names.state, 'Write', 'worker'),
    ...Object.keys(kafka.sources).map((name) => topic(name, 'Read', 'worker')),
    ...groups.flatMap((group): NeededRight[] => [
      { resource: 'group', name: group, operation: 'Read', neededBy: ['worker'] },
      ...(kafka.delivery === 'exactly_once' ? [transactions(group)] : []),
    ]),
  ];
}

/** Each partition has its own transactional id, with this prefix. */
function transactions(group: string): NeededRight {
  const name = `${group}/`;
  return { resource: 'transactional-id', name, prefix: true, operation: 'Write', neededBy: ['worker'] };
}
