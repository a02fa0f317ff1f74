import { collectDefaultMetrics, Registry } from 'prom-client';

/** A registry with the default metrics of Node. */
export function processRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}
