import { collectDefaultMetrics, Registry } from 'prom-client';

/** The metrics of this process, Node's own among them. */
export function processRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}
