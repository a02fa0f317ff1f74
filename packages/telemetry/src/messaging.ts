import type { SpanAttributes } from './tracing.ts';

/** Where the records of a batch come from: the value of `messaging.system`. */
export type MessagingSystem = 'kafka' | 'loopwatch_embedded';

/** A batch of records of one partition. */
export interface TracedBatch {
  readonly topic: string;
  readonly partition: number;
  readonly records: readonly { readonly offset: number }[];
}

/** Attributes of work on a batch, by the conventions for messaging. @param operation what the work does with the records */
export function messagingAttributes(
  { topic, partition, records }: TracedBatch,
  system: MessagingSystem,
  operation: 'receive' | 'process' | 'settle',
): SpanAttributes {
  return {
    'messaging.system': system,
    'messaging.operation.type': operation,
    'messaging.operation.name': operation === 'settle' ? 'commit' : operation,
    'messaging.destination.name': topic,
    'messaging.destination.partition.id': String(partition),
    'messaging.batch.message_count': records.length,
    'messaging.kafka.offset': records[0]?.offset,
  };
}
