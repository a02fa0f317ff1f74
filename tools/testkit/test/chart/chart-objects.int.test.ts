import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { settingsSchema } from '@loopwatch/contract';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { chart, chartTools, type KubernetesObject, render } from './helm.ts';
import { only, podOf, workload } from './pods.ts';

/** Kinds of the objects that run pods, unless they are Deployments. */
const kindOf: Readonly<Record<string, string>> = { worker: 'StatefulSet', topics: 'Job' };

describe('objects of the Helm chart', () => {
  let tools: Awaited<ReturnType<typeof chartTools>>;
  let everything: readonly KubernetesObject[];
  beforeAll(async () => {
    tools = await chartTools();
    everything = objects('everything');
  });
  const objects = (name: string, ...args: string[]): readonly KubernetesObject[] =>
    render(tools.helm, '--values', `ci/${name}-values.yaml`, ...args);

  it('workloads: run their command, with probes on the port that it listens on', () => {
    const { worker, server, gateway } = settingsSchema.parse({});
    for (const [name, { port }] of Object.entries({ worker, server, gateway })) {
      const pod = podOf(workload(everything, `lw-loopwatch-${name}`));
      expect(pod.containers[0].ports?.[0]).toEqual({ name: 'http', containerPort: port });
      expect(pod.containers[0]).toMatchObject({
        args: [name],
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

  it.each([
    { memory: '1Gi', options: '', expected: '--max-old-space-size=614' },
    { memory: '1.5Gi', options: '', expected: '--max-old-space-size=921' },
    { memory: '2G', options: '', expected: '--max-old-space-size=1144' },
    { memory: '536870912', options: '', expected: '--max-old-space-size=307' },
    { memory: '12e8', options: '', expected: '--max-old-space-size=686' },
    { memory: '1Gi', options: '--trace-gc', expected: '--max-old-space-size=614 --trace-gc' },
    { memory: '1Gi', options: '--max-old-space-size=800', expected: '--max-old-space-size=800' },
    { memory: 'null', options: '', expected: undefined },
  ])('workloads: give 60% of $memory to the heap of Node with options "$options"', (example) => {
    const workloads = ['worker', 'server', 'gateway', 'topics'];
    const list = objects(
      'everything',
      ...workloads.flatMap((name) => [
        ...['--set', `${name}.resources.limits.memory=${example.memory}`],
        ...['--set', `${name}.resources.requests.memory=1Mi`],
        ...['--set', `${name}.nodeOptions=${example.options}`],
      ]),
    );
    for (const name of workloads) {
      const [container] = podOf(only(list, kindOf[name] ?? 'Deployment', `lw-loopwatch-${name}`)).containers;
      const options = container.env.find((variable) => variable.name === 'NODE_OPTIONS');
      expect(options?.value).toBe(example.expected);
    }
  });

  it('workloads and the job: run where their values say', () => {
    const places = Object.fromEntries(
      ['worker', 'server', 'gateway', 'topics'].map((name) => {
        const pod = podOf(only(everything, kindOf[name] ?? 'Deployment', `lw-loopwatch-${name}`));
        const { nodeSelector, tolerations, affinity, priorityClassName, topologySpreadConstraints } = pod;
        const keys = topologySpreadConstraints?.map(({ topologyKey }) => topologyKey);
        return [
          name,
          { nodeSelector, tolerations, affinity: Object.keys(affinity ?? {}), priorityClassName, keys },
        ];
      }),
    );
    const common = { nodeSelector: { 'kubernetes.io/os': 'linux' }, priorityClassName: 'agents' };
    const tolerations = [{ key: 'dedicated', operator: 'Exists' }];
    const spread = ['kubernetes.io/hostname', 'topology.kubernetes.io/zone'];
    expect(places).toEqual({
      worker: { ...common, tolerations, affinity: ['nodeAffinity'], keys: spread },
      server: { priorityClassName: 'agents', affinity: [], keys: ['kubernetes.io/hostname'] },
      gateway: { ...common, tolerations, affinity: [], keys: spread },
      topics: { ...common, tolerations, affinity: ['podAntiAffinity'], keys: undefined },
    });
  });

  it('HorizontalPodAutoscalers: set the number of servers and gateways, which the Deployments do not', () => {
    for (const [name, min, max] of [
      ['server', 2, 3],
      ['gateway', 3, 10],
    ] as const) {
      expect(only(everything, 'HorizontalPodAutoscaler', `lw-loopwatch-${name}`).spec).toMatchObject({
        scaleTargetRef: { kind: 'Deployment', name: `lw-loopwatch-${name}` },
        minReplicas: min,
        maxReplicas: max,
      });
      expect(workload(everything, `lw-loopwatch-${name}`).spec).not.toHaveProperty('replicas');
    }
  });

  it('HTTPRoutes: lead from the Gateway and the host names to the ports of the Services', () => {
    const list = objects('everything', '--set', 'config.gateway.port=8080');
    expect(only(list, 'HTTPRoute', 'lw-loopwatch-server').spec).toEqual({
      parentRefs: [{ name: 'public', namespace: 'gateways', sectionName: 'https' }],
      hostnames: ['loops.example.com'],
      rules: [{ backendRefs: [{ name: 'lw-loopwatch-server', port: 4600 }] }],
    });
    expect(only(list, 'HTTPRoute', 'lw-loopwatch-gateway').spec).toEqual({
      parentRefs: [{ name: 'internal' }],
      hostnames: ['model-api.example.com', 'model-api.internal.example.com'],
      rules: [{ backendRefs: [{ name: 'lw-loopwatch-gateway', port: 8080 }], timeouts: { request: '0s' } }],
    });
    expect(only(list, 'Service', 'lw-loopwatch-gateway').spec).toMatchObject({ ports: [{ port: 8080 }] });
  });

  it('OTLP over gRPC: is a port of the server, for clients but not for Prometheus, if the setting is there', () => {
    const pod = podOf(workload(everything, 'lw-loopwatch-server'));
    expect(pod.containers[0].ports).toContainEqual({ name: 'otlp-grpc', containerPort: 4317 });
    expect(only(everything, 'Service', 'lw-loopwatch-server').spec).toMatchObject({
      ports: [{ name: 'http' }, { name: 'otlp-grpc', port: 4317, targetPort: 'otlp-grpc' }],
    });
    const { ingress } = only(everything, 'NetworkPolicy', 'lw-loopwatch-server').spec as {
      ingress: object[];
    };
    const clients = [
      { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress-nginx' } } },
    ];
    expect(ingress.slice(1)).toEqual([{ ports: [{ port: 'otlp-grpc' }], from: clients }]);
    const without = objects('minimal', '--set', 'networkPolicy.enabled=true');
    expect(JSON.stringify(without)).not.toContain('otlp-grpc');
    expect(
      JSON.stringify(everything.filter(({ metadata }) => !metadata.name.endsWith('-server'))),
    ).not.toContain('otlp-grpc');
  });

  it('workers: have the name of their pod, which is the same after a restart, in their group', () => {
    const set = only(everything, 'StatefulSet', 'lw-loopwatch-worker');
    expect(podOf(set).containers[0].env).toContainEqual({
      name: 'LOOPWATCH_KAFKA_INSTANCE_ID',
      valueFrom: { fieldRef: { fieldPath: 'metadata.name' } },
    });
    expect(
      settingsSchema.parse({ kafka: { instance_id: set.metadata.name } }).kafka.instance_id,
    ).toBeDefined();
  });

  it('Secrets: each process gets only those that it needs', () => {
    const secrets = (name: string): Readonly<Record<string, string>> =>
      Object.fromEntries(
        podOf(workload(everything, `lw-loopwatch-${name}`)).containers[0].env.flatMap(
          ({ name: key, valueFrom }) =>
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
    expect(only(everything, 'ScaledObject').spec).toMatchObject({
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
    const monitors = everything.filter(({ kind }) => kind === 'PodMonitor');
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
    const { groups } = only(everything, 'PrometheusRule').spec as {
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
