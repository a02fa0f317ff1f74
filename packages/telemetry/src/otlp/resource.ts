import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { defaultResource, type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import type { TelemetryOptions } from '../telemetry.ts';

/** Describes this process; the environment's attributes win. Each call returns another instance of the service. */
export function processResource({ settings, serviceName, version }: TelemetryOptions): Resource {
  return defaultResource().merge(
    resourceFromAttributes({
      'service.version': version,
      'service.instance.id': randomUUID(),
      'host.name': hostname(),
      'process.pid': process.pid,
      'process.runtime.name': 'nodejs',
      'process.runtime.version': process.versions.node,
      ...settings.attributes,
      'service.name': settings.serviceName ?? serviceName,
    }),
  );
}
