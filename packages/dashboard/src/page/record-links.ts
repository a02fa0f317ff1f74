import type { Status } from '@loopwatch/contract/api';
import type { TimeRange } from '../lib/time-range.ts';

/** URLs of other tools, as configured. */

export interface RecordPosition {
  readonly topic: string;
  readonly partition: number;
  readonly offset: string;
}

/** Topic, partition and offset as Kafka tools write them. */
export function recordName({ topic, partition, offset }: RecordPosition): string {
  return `${topic}/${String(partition)}/${offset}`;
}

/** Epoch ms, or a Grafana time such as `now-6h`. */
export interface GrafanaTimes {
  readonly from: number | string;
  readonly to: number | string;
}

export function grafanaTimes(range: TimeRange): GrafanaTimes {
  if (range.kind === 'fixed') return range;
  return { from: range.kind === 'last' ? `now-${range.span}` : 'now-90d', to: 'now' };
}

/** URL of the Grafana dashboard at a time range; undefined if not configured. */
export function grafanaLink({ grafana }: Status['links'], { from, to }: GrafanaTimes): string | undefined {
  if (grafana === null) return undefined;
  const address = new URL(grafana);
  address.searchParams.set('from', String(from));
  address.searchParams.set('to', String(to));
  return address.href;
}

/** URL of a record in a Kafka UI; undefined if not configured. */
export function recordLink({ kafka }: Status['links'], position: RecordPosition): string | undefined {
  if (kafka === null) return undefined;
  const values = { ...position, partition: String(position.partition) };
  return kafka.replace(/\{(topic|partition|offset)\}/g, (_, name: keyof typeof values) =>
    encodeURIComponent(values[name]),
  );
}
