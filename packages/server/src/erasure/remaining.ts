import type { TopicNames } from '@loopwatch/contract';
import type { Erasure } from '@loopwatch/contract/api';
import type { Database } from '@loopwatch/storage';
import type { ServerLog } from '../feed/feeds.ts';

/** What an erasure cannot delete at once, and until when it remains. */
export function remaining(
  log: ServerLog['kind'],
  database: Database['kind'],
  topics: TopicNames,
): Erasure['remains'] {
  const elsewhere = {
    where: 'messages that notifications have sent, logs, traces and backups',
    until: 'they are deleted there',
  };
  return [
    ...(log === 'embedded' ? [] : ofKafka(topics)),
    ...(database === 'pglite'
      ? []
      : [
          {
            where: 'PostgreSQL: dead rows',
            until: 'vacuum reuses their space; `vacuum full` removes them at once',
          },
          {
            where: 'PostgreSQL: write-ahead log, its archive, and replicas',
            until: 'their retention ends',
          },
        ]),
    elsewhere,
  ];
}

function ofKafka(topics: TopicNames): Erasure['remains'] {
  const deleted = [topics.events, topics.verdicts, topics['dead-letters']];
  const compacted = [topics.sessions, topics.control, topics.triage, topics.checks, topics.state];
  return [
    {
      where: `Kafka: ${deleted.join(', ')}, and the topics of other producers`,
      until: 'the retention of the topic (retention.ms) ends: Kafka cannot delete single records',
    },
    {
      where: `Kafka: ${compacted.join(', ')}`,
      until:
        'Kafka compacts the topic: the tombstones are written, and apply to segments that are closed (segment.ms)',
    },
  ];
}
