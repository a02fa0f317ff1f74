import type { Settings } from '@loopwatch/contract';
import type { Status } from '@loopwatch/contract/api';

/** External pages that the dashboard links to. */
export function outwardLinks({ grafana_url, kafka_ui_url }: Settings['server']): Status['links'] {
  return { grafana: grafana_url ?? null, kafka: kafka_ui_url ?? null };
}
