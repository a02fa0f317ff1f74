import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { settingsSchema } from '@loopwatch/contract';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { chart, chartTools, type KubernetesObject, render } from './helm.ts';
import { only, podOf, workload } from './pods.ts';

describe('objects of the Helm chart', () => {
  let tools: Awaited<ReturnType<typeof chartTools>>;
  beforeAll(async () => {
    tools = await chartTools();
  });
  const objects = (name: string, ...args: string[]): readonly KubernetesObject[] =>
    render(tools.helm, '--values', `ci/${name}-values.yaml`, ...args);

  it('workloads: run their command, with probes on the port that it listens on', () => {
    const { worker, server, gateway } = settingsSchema.parse({});
    for (const [name, { port }] of Object.entries({ worker, server, gateway })) {
      const pod = podOf(workload(objects('everything'), `lw-loopwatch-${name}`));
      expect(pod.containers[0]).toMatchObject({
        args: [name],
        ports: [{ containerPort: port }],
        livenessProbe: { httpGet: { path: '/healthz' } },
        readinessProbe: { httpGet: { path: '/readyz' } },
      });
      expect(pod.topologySpreadConstraints?.length).toBeGreaterThan(0);
    }
  });

  it('workloads: use a configured port', () => {
    const [container] = podOf(
      workload(objects('worker-only', '--set', 'config.worker.port=9000')),
    ).containers;
    expect(container.ports).toMatchObject([{ containerPort: 9000 }]);
  });

  it('workers: have the name of their pod, which is the same after a restart, in their group', () => {
    const set = only(objects('everything'), 'StatefulSet', 'lw-loopwatch-worker');
    expect(podOf(set).containers[0].env).toContainEqual({
      name: 'LOOPWATCH_KAFKA_INSTANCE_ID',
      valueFrom: { fieldRef: { fieldPath: 'metadata.name' } },
    });
    expect(
      settingsSchema.parse({ kafka: { instance_id: set.metadata.name } }).kafka.instance_id,
    ).toBeDefined();
  });

  it('Secrets: each process gets only those that it needs', () => {
    const list = objects('everything');
    const secrets = (name: string): Readonly<Record<string, string>> =>
      Object.fromEntries(
        podOf(workload(list, `lw-loopwatch-${name}`)).containers[0].env.flatMap(({ name: key, valueFrom }) =>
          valueFrom?.secretKeyRef === undefined
            ? []
            : [[key, `${valueFrom.secretKeyRef.name}/${valueFrom.secretKeyRef.key}`]],
        ),
      );
    const common = {
      LOOPWATCH_KAFKA_SASL_OAUTHBEARER_CLIENT_SECRET:
        'loopwatch/LOOPWATCH_KAFKA_SASL_OAUTHBEARER_CLIENT_SECRET',
      LOOPWATCH_KAFKA_SASL_PASSWORD: 'loopwatch/LOOPWATCH_KAFKA_SASL_PASSWORD',
      LOOPWATCH_KAFKA_SSL_KEY_PASSWORD: 'loopwatch/LOOPWATCH_KAFKA_SSL_KEY_PASSWORD',
      // The chart's values name a collector.
      OTEL_EXPORTER_OTLP_HEADERS: 'loopwatch/OTEL_EXPORTER_OTLP_HEADERS',
    };
    expect(secrets('worker')).toEqual({
      ...common,
      LOOPWATCH_KAFKA_SCHEMA_REGISTRY_PASSWORD: 'loopwatch/LOOPWATCH_KAFKA_SCHEMA_REGISTRY_PASSWORD',
      LOOPWATCH_LLM_API_KEY: 'loopwatch/LOOPWATCH_LLM_API_KEY',
    });
    expect(secrets('gateway')).toEqual({ ...common, DATABASE_URL: 'postgres-app/uri' });
    expect(secrets('server')).toEqual({
      ...common,
      DATABASE_URL: 'postgres-app/uri',
      LOOPWATCH_API_TOKEN: 'loopwatch/LOOPWATCH_API_TOKEN',
      LOOPWATCH_INGEST_TOKEN: 'loopwatch/LOOPWATCH_INGEST_TOKEN',
      LOOPWATCH_VIEWER_TOKEN: 'loopwatch/LOOPWATCH_VIEWER_TOKEN',
      LOOPWATCH_SERVER_OIDC_CLIENT_SECRET: 'loopwatch/LOOPWATCH_SERVER_OIDC_CLIENT_SECRET',
      SLACK_URL: 'slack/url',
    });
  });

  it('ScaledObject: reads the lag of the configured group and topic', () => {
    expect(only(objects('everything'), 'ScaledObject').spec).toMatchObject({
      scaleTargetRef: { kind: 'StatefulSet', name: 'lw-loopwatch-worker' },
      triggers: [
        {
          type: 'kafka',
          metadata: { consumerGroup: 'loops', topic: 'ai.events', sasl: 'scram_sha512', tls: 'enable' },
          authenticationRef: { name: 'kafka-login' },
        },
      ],
    });
  });

  it('ScaledObject: reads the group and topic that Loopwatch uses by default', () => {
    const list = objects('minimal', '--set', 'worker.autoscaling.type=keda');
    const { kafka } = settingsSchema.parse({});
    expect(only(list, 'ScaledObject').spec).toMatchObject({
      triggers: [{ metadata: { consumerGroup: kafka.group, topic: `${kafka.topics.prefix}events` } }],
    });
    expect(workload(list, 'lw-loopwatch-worker').spec).not.toHaveProperty('replicas');
  });

  it('PodMonitors: set the job names that the alerts use', () => {
    const monitors = objects('everything').filter(({ kind }) => kind === 'PodMonitor');
    const jobs = monitors.map(
      ({ spec }) =>
        (spec as { podMetricsEndpoints: [{ relabelings: [{ replacement: string }] }] }).podMetricsEndpoints[0]
          .relabelings[0].replacement,
    );
    expect(jobs).toEqual(['loopwatch-worker', 'loopwatch-server', 'loopwatch-gateway']);
  });

  it('PodMonitor of the server: sends the viewer token, unless access is anonymous', () => {
    const endpoint = (...args: string[]): unknown =>
      (
        only(objects('everything', ...args), 'PodMonitor', 'lw-loopwatch-server').spec as {
          podMetricsEndpoints: unknown[];
        }
      ).podMetricsEndpoints[0];
    expect(endpoint()).toMatchObject({
      authorization: { credentials: { name: 'loopwatch', key: 'LOOPWATCH_VIEWER_TOKEN' } },
    });
    expect(endpoint('--set', 'config.server.allow_anonymous=true')).not.toHaveProperty('authorization');
  });

  it('PrometheusRule: has all alerts, with links to the dashboard and the runbooks', () => {
    const { groups } = only(objects('everything'), 'PrometheusRule').spec as {
      groups: { rules: { alert: string; annotations: { link?: string; runbook_url: string } }[] }[];
    };
    const rules = groups.flatMap((group) => group.rules);
    const source = parse(readFileSync(join(chart, '../../../prometheus/alerts.yml'), 'utf8')) as {
      groups: { rules: { alert: string }[] }[];
    };
    expect(rules.map(({ alert }) => alert)).toEqual(
      source.groups.flatMap((group) => group.rules.map(({ alert }) => alert)),
    );
    expect(rules.map(({ annotations }) => annotations.runbook_url)).toEqual(
      rules.map(({ alert }) => `https://wiki.example.com/loopwatch/runbooks#${alert.toLowerCase()}`),
    );
    expect(rules.find(({ alert }) => alert === 'LoopOpenForLong')?.annotations.link).toMatch(
      /^https:\/\/loops\.example\.com\/incidents/,
    );
  });
});
