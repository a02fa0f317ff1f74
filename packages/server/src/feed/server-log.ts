import type { RecordReader, RecordSink, TopicReader } from '@loopwatch/log';

/** What the server needs of the event log, whichever it is. */
export interface ServerLog {
  readonly kind: 'kafka' | 'embedded';
  reader(topic: string): TopicReader;
  records(): RecordReader;
  sink(): RecordSink;
}
