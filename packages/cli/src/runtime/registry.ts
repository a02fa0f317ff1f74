import { collectDefaultMetrics, Registry } from 'prom-client';

/** The metrics of this process, Node's own among them; only the latter carry the labels. */
export function processRegistry(labels: Readonly<Record<string, string>> = {}): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, labels });
  return registry;
}
