import { parse } from 'yaml';
import { type Json, payloadSchema } from '../reference/json-schemas.ts';

/** Kubernetes' own blocks: the cluster checks them. */
const open = { type: 'object' };
const count = (minimum: number): Json => ({ type: 'integer', minimum });

/** What the type of a default does not say. A star stands for one key. */
const exceptions: Readonly<Record<string, Json>> = {
  'image.digest': { type: 'string', pattern: '^(sha256:[0-9a-f]{64})?$' },
  'image.pullPolicy': { enum: ['Always', 'IfNotPresent', 'Never'] },
  'image.tag': { type: 'string', pattern: '^(\\w[\\w.-]{0,127})?$' },
  'secrets.from': {
    type: 'object',
    additionalProperties: {
      type: 'object',
      properties: { name: { type: 'string', minLength: 1 }, key: { type: 'string', minLength: 1 } },
      required: ['name', 'key'],
      additionalProperties: false,
    },
  },
  'worker.autoscaling.type': { enum: ['none', 'hpa', 'keda'] },
  '*.autoscaling.type': { enum: ['none', 'hpa'] },
  '*.autoscaling.minReplicas': count(1),
  '*.autoscaling.maxReplicas': count(1),
  '*.replicas': count(0),
  '*.resources': open,
  '*.podDisruptionBudget': { type: ['object', 'null'] },
  '*.service.type': { enum: ['ClusterIP', 'NodePort', 'LoadBalancer'] },
  'monitoring.dashboards.labels': open,
  // A process allows itself 30 seconds, after the 5 in which clients learn that it stops.
  terminationGracePeriodSeconds: count(36),
  podSecurityContext: open,
  securityContext: open,
};

/** The JSON Schema of the chart's values, derived from their defaults; `config` is Loopwatch's own schema. */
export function valuesSchema(values: string): Json {
  const { config: _, ...rest } = parse(values) as Json;
  const schema = schemaOf(rest, '');
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Values of the Helm chart of Loopwatch',
    ...schema,
    properties: {
      config: withoutSecrets(payloadSchema('settings', 'draft-7')),
      ...(schema['properties'] as Json),
      // Helm hands these to subcharts.
      global: open,
    },
  };
}

function schemaOf(value: unknown, path: string): Json {
  const exception = exceptions[path] ?? exceptions[path.replace(/^\w+\./, '*.')];
  if (exception !== undefined) return exception;
  if (Array.isArray(value)) return { type: 'array' };
  if (typeof value === 'number') return count(0);
  if (typeof value !== 'object' || value === null) return { type: typeof value };
  const keys = Object.entries(value);
  if (keys.length === 0) return open;
  return {
    type: 'object',
    properties: Object.fromEntries(
      keys.map(([key, inner]) => [key, schemaOf(inner, path === '' ? key : `${path}.${key}`)]),
    ),
    additionalProperties: false,
  };
}

/** Settings that contain secrets, besides those that a file or an environment variable can give instead. */
const secrets = ['api_key', 'database_url'];

/** Removes them: a ConfigMap can be read by many. Values are not required, because the environment may give them. */
function withoutSecrets(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutSecrets);
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).map(([key, value]) => {
    if (key !== 'properties') return [key, withoutSecrets(value)];
    const properties = value as Json;
    const kept = Object.entries(properties).filter(
      ([name]) => !secrets.includes(name) && !(`${name}_file` in properties),
    );
    return [key, Object.fromEntries(kept.map(([name, inner]) => [name, withoutSecrets(inner)]))];
  });
  return Object.fromEntries(entries);
}
