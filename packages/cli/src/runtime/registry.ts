import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { version } from './installation.ts';

/** A registry with the default metrics of Node and the version of Loopwatch. */
export function processRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const build = new Gauge({
    name: 'loopwatch_build_info',
    help: 'Always 1; the labels are the versions of Loopwatch and Node',
    labelNames: ['version', 'node'],
    registers: [registry],
  });
  build.set({ version, node: process.version }, 1);
  return registry;
}
