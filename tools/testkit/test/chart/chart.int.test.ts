import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { resolveSettings, settingsSchema } from '@loopwatch/contract';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { chart, chartTools, type KubernetesObject, render, runHelm } from './helm.ts';
import { schemaFaults } from './kubernetes-schemas.ts';

interface Container {
  readonly args: readonly string[];
  readonly env: readonly {
    readonly name: string;
    readonly value?: string;
    readonly valueFrom?: { readonly secretKeyRef: { readonly name: string; readonly key: string } };
  }[];
  readonly securityContext: object;
  readonly ports?: readonly { readonly containerPort: number }[];
  readonly livenessProbe?: { readonly httpGet: { readonly path: string } };
  readonly readinessProbe?: { readonly httpGet: { readonly path: string } };
  readonly resources: { readonly requests: object; readonly limits: object };
}

interface Pod {
  readonly containers: readonly [Container];
  readonly enableServiceLinks: boolean;
  readonly automountServiceAccountToken: boolean;
  readonly securityContext: object;
  readonly topologySpreadConstraints?: readonly object[];
}

const cases = readdirSync(join(chart, 'ci'));
const values = (name: string): string[] => ['--values', `ci/${name}-values.yaml`];

describe('Helm chart', () => {
  let tools: Awaited<ReturnType<typeof chartTools>>;
  beforeAll(async () => {
    tools = await chartTools();
  });
  const objects = (name: string, ...args: string[]): readonly KubernetesObject[] =>
    render(tools.helm, ...values(name), ...args);
  const only = (list: readonly KubernetesObject[], kind: string, name?: string): KubernetesObject => {
    const found = list.filter(
      (object) => object.kind === kind && (name === undefined || object.metadata.name === name),
    );
    expect(found.map(({ metadata }) => metadata.name)).toHaveLength(1);
    return found[0] as KubernetesObject;
  };
  const podOf = (object: KubernetesObject): Pod => (object.spec as { template: { spec: Pod } }).template.spec;

  it.each(cases)('chart with %s: passes helm lint', (file) => {
    const { status, output } = runHelm(tools.helm, 'lint', '.', '--strict', '--values', `ci/${file}`);
    expect(status, output).toBe(0);
  });

  it.each(cases)(
    'chart with %s: every object matches the schema of its API, without unknown fields',
    async (file) => {
      const list = render(tools.helm, '--values', `ci/${file}`);
      const faults = await Promise.all(
        list.map(async (object) => ({
          object: `${object.kind} ${object.metadata.name}`,
          faults: await schemaFaults(tools.modules, object),
        })),
      );
      expect(list.length).toBeGreaterThan(3);
      expect(faults.filter((entry) => entry.faults.length > 0)).toEqual([]);
    },
  );

  it.each([
    ['an unknown field', { podz: 1 }, '/spec/podz is unknown'],
    ['a wrong type', { replicas: 'three' }, expect.stringContaining('/spec/replicas')],
  ])('schemas: report %s', async (_, change, fault) => {
    const deployment = only(objects('worker-only'), 'Deployment');
    const changed = { ...deployment, spec: { ...(deployment.spec as object), ...change } };
    expect(await schemaFaults(tools.modules, changed)).toContainEqual(fault);
  });

  it('chart with all options: creates every kind of object once per component', () => {
    const kinds = objects('everything').map(({ kind }) => kind);
    const counts = Object.fromEntries(
      [...new Set(kinds)].map((kind) => [kind, kinds.filter((k) => k === kind).length]),
    );
    expect(counts).toEqual({
      NetworkPolicy: 3,
      PodDisruptionBudget: 3,
      ServiceAccount: 1,
      ConfigMap: 3,
      Service: 2,
      Deployment: 3,
      Ingress: 2,
      PodMonitor: 3,
      PrometheusRule: 1,
      ScaledObject: 1,
      Job: 1,
    });
  });

  it('chart with the values of docs/deployment.md: runs worker and server, with monitoring', () => {
    const page = readFileSync(join(chart, '../../../docs/deployment.md'), 'utf8');
    const text = /> my-values\.yaml <<'EOF'\n([\s\S]*?)^EOF$/m.exec(page)?.[1] ?? '';
    const file = join(mkdtempSync(join(tmpdir(), 'loopwatch-values-')), 'values.yaml');
    writeFileSync(file, text);
    const kinds = render(tools.helm, '--values', file).map(({ kind }) => kind);
    rmSync(dirname(file), { recursive: true });
    expect(kinds.filter((kind) => kind === 'Deployment')).toHaveLength(2);
    expect(kinds).toEqual(expect.arrayContaining(['PodMonitor', 'PrometheusRule', 'Job']));
  });

  it('chart with workers only: creates nothing of the server, and needs no Secret', () => {
    const list = objects('worker-only');
    expect(list.map(({ kind }) => kind).toSorted()).toEqual(
      ['ConfigMap', 'Deployment', 'HorizontalPodAutoscaler', 'NetworkPolicy'].toSorted(),
    );
    expect(JSON.stringify(list)).not.toContain('secretKeyRef');
  });

  it.each(cases)('chart with %s: mounts settings that Loopwatch accepts', (file) => {
    const maps = render(tools.helm, '--values', `ci/${file}`).filter(
      ({ data }) => data?.['loopwatch.yaml'] !== undefined,
    );
    expect(maps.length).toBeGreaterThan(0);
    for (const { data } of maps) {
      const value = parse(data?.['loopwatch.yaml'] ?? '') as { kafka: { sasl?: object } };
      const resolved = resolveSettings({
        file: { name: 'loopwatch.yaml', value },
        environment: value.kafka.sasl === undefined ? {} : { LOOPWATCH_KAFKA_SASL_PASSWORD: 'of the Secret' },
        flags: {},
        flagNames: {},
      });
      expect(resolved).toMatchObject({ ok: true, warnings: [] });
    }
  });

  it.each(['Deployment', 'Job'])(
    '%s: runs without root, privileges, service links and a writable root',
    (kind) => {
      for (const object of objects('everything').filter((candidate) => candidate.kind === kind)) {
        const pod = podOf(object);
        expect(pod).toMatchObject({ enableServiceLinks: false, automountServiceAccountToken: false });
        expect(pod.securityContext).toMatchObject({
          runAsNonRoot: true,
          runAsUser: 1000,
          seccompProfile: { type: 'RuntimeDefault' },
        });
        const [container] = pod.containers;
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(container.resources.limits).toHaveProperty('memory');
      }
    },
  );

  it('Deployments: run their command, with probes on the port that it listens on', () => {
    const { worker, server, gateway } = settingsSchema.parse({});
    for (const [name, { port }] of Object.entries({ worker, server, gateway })) {
      const pod = podOf(only(objects('everything'), 'Deployment', `lw-loopwatch-${name}`));
      expect(pod.containers[0]).toMatchObject({
        args: [name],
        ports: [{ containerPort: port }],
        livenessProbe: { httpGet: { path: '/healthz' } },
        readinessProbe: { httpGet: { path: '/readyz' } },
      });
      expect(pod.topologySpreadConstraints?.length).toBeGreaterThan(0);
    }
  });

  it('Deployments: follow a port that is set', () => {
    const [container] = podOf(
      only(objects('worker-only', '--set', 'config.worker.port=9000'), 'Deployment'),
    ).containers;
    expect(container.ports).toMatchObject([{ containerPort: 9000 }]);
  });

  it('Secrets: each process gets only those that it needs', () => {
    const list = objects('everything');
    const secrets = (name: string): Readonly<Record<string, string>> =>
      Object.fromEntries(
        podOf(only(list, 'Deployment', `lw-loopwatch-${name}`)).containers[0].env.flatMap(
          ({ name: key, valueFrom }) =>
            valueFrom === undefined
              ? []
              : [[key, `${valueFrom.secretKeyRef.name}/${valueFrom.secretKeyRef.key}`]],
        ),
      );
    const kafka = {
      LOOPWATCH_KAFKA_SASL_PASSWORD: 'loopwatch/LOOPWATCH_KAFKA_SASL_PASSWORD',
      LOOPWATCH_KAFKA_SSL_KEY_PASSWORD: 'loopwatch/LOOPWATCH_KAFKA_SSL_KEY_PASSWORD',
    };
    expect(secrets('worker')).toEqual({ ...kafka, LOOPWATCH_LLM_API_KEY: 'loopwatch/LOOPWATCH_LLM_API_KEY' });
    expect(secrets('gateway')).toEqual({ ...kafka, DATABASE_URL: 'postgres-app/uri' });
    expect(secrets('server')).toEqual({
      ...kafka,
      DATABASE_URL: 'postgres-app/uri',
      LOOPWATCH_API_TOKEN: 'loopwatch/LOOPWATCH_API_TOKEN',
      LOOPWATCH_VIEWER_TOKEN: 'loopwatch/LOOPWATCH_VIEWER_TOKEN',
      LOOPWATCH_SERVER_OIDC_CLIENT_SECRET: 'loopwatch/LOOPWATCH_SERVER_OIDC_CLIENT_SECRET',
      SLACK_URL: 'slack/url',
    });
  });

  it('ScaledObject: reads the lag of the configured group and topic', () => {
    expect(only(objects('everything'), 'ScaledObject').spec).toMatchObject({
      scaleTargetRef: { name: 'lw-loopwatch-worker' },
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
    expect(only(list, 'Deployment', 'lw-loopwatch-worker').spec).not.toHaveProperty('replicas');
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

  it.each([
    ['no brokers', [], 'config.kafka.brokers'],
    ['a server without a database', ['config.kafka.brokers={kafka:9092}'], 'DATABASE_URL'],
    [
      'a gateway without an upstream',
      ['config.kafka.brokers={kafka:9092}', 'secrets.existingSecret=x', 'gateway.enabled=true'],
      'config.gateway.upstream',
    ],
    [
      'an Ingress without a public URL',
      ['config.kafka.brokers={kafka:9092}', 'secrets.existingSecret=x', 'server.ingress.enabled=true'],
      'config.server.public_url',
    ],
    ['a misspelled setting', ['config.tool_call_loop.max_repeat=4'], 'max_repeat'],
    ['a misspelled value', ['worker.replica=4'], 'replica'],
    ['a password in the settings', ['config.kafka.sasl.password=x'], 'password'],
    ['a model key in the settings', ['config.llm.api_key=x'], 'api_key'],
    [
      'a notification secret in the settings',
      [
        'config.notifications[0].name=a',
        'config.notifications[0].type=slack',
        'config.notifications[0].token=x',
      ],
      'config/notifications',
    ],
    [
      'less time to stop than a process takes',
      ['terminationGracePeriodSeconds=20'],
      'terminationGracePeriodSeconds',
    ],
  ])('chart: rejects %s', (_, settings, message) => {
    const { status, output } = runHelm(
      tools.helm,
      'template',
      'lw',
      '.',
      ...settings.flatMap((value) => ['--set', value]),
    );
    expect(status).not.toBe(0);
    expect(output).toContain(message);
  });
});
