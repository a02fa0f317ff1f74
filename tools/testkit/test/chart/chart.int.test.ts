import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { resolveSettings } from '@loopwatch/contract/internal';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { chart, chartTools, type KubernetesObject, render, runHelm } from './helm.ts';
import { schemaFaults } from './kubernetes-schemas.ts';
import { podOf, workload, workloads } from './pods.ts';

const cases = readdirSync(join(chart, 'ci'));
/** Values that the chart accepts. */
const complete = ['config.kafka.brokers={kafka:9092}', 'secrets.existingSecret=x'];
const gateway = ['gateway.enabled=true', 'config.gateway.upstream=https://api.openai.com/v1'];

describe('Helm chart', () => {
  let tools: Awaited<ReturnType<typeof chartTools>>;
  beforeAll(async () => {
    tools = await chartTools();
  });
  const objects = (name: string, ...args: string[]): readonly KubernetesObject[] =>
    render(tools.helm, '--values', `ci/${name}-values.yaml`, ...args);

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
    const deployment = workload(objects('worker-only'));
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
      Deployment: 2,
      StatefulSet: 1,
      Ingress: 2,
      HTTPRoute: 2,
      HorizontalPodAutoscaler: 2,
      PodMonitor: 3,
      PrometheusRule: 1,
      ScaledObject: 1,
      Job: 1,
    });
  });

  it('chart with workers only: creates nothing of the server, and needs no Secret', () => {
    const list = objects('worker-only');
    expect(list.map(({ kind }) => kind).toSorted()).toEqual(
      ['ConfigMap', 'HorizontalPodAutoscaler', 'NetworkPolicy', 'StatefulSet'].toSorted(),
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

  it.each([...workloads, 'Job'])(
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

  it.each([
    ['no brokers', [], 'config.kafka.brokers'],
    ['a server without a database', ['config.kafka.brokers={kafka:9092}'], 'DATABASE_URL'],
    [
      'several servers without a database that they share',
      ['config.kafka.brokers={kafka:9092}', 'server.autoscaling.type=hpa'],
      'DATABASE_URL, which all servers and gateways share',
    ],
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
    [
      'an HTTPRoute without a public URL',
      [...complete, 'server.httpRoute.enabled=true', 'server.httpRoute.parentRefs[0].name=public'],
      'config.server.public_url: set the URL at which users open the dashboard, as server.httpRoute is enabled',
    ],
    [
      'an HTTPRoute without a Gateway',
      [...complete, ...gateway, 'gateway.httpRoute.enabled=true'],
      'gateway.httpRoute.parentRefs: name the Gateway',
    ],
    [
      'an autoscaler without a request to compare with',
      [...complete, 'server.autoscaling.type=hpa', 'server.resources.requests.cpu=null'],
      'server.resources.requests.cpu: set it',
    ],
    [
      'an autoscaler whose lower limit is the higher one',
      [...complete, 'worker.autoscaling.type=keda', 'worker.autoscaling.minReplicas=7'],
      'worker.autoscaling.minReplicas: 7 is more than maxReplicas, 6',
    ],
    ['KEDA for a server, which has no lag', [...complete, 'server.autoscaling.type=keda'], 'autoscaling'],
    [
      'a request for more memory than the limit',
      [...complete, 'worker.resources.requests.memory=1100M'],
      'worker.resources.requests.memory: 1100M is more than the limit of 1Gi',
    ],
    [
      'a request for more CPU than the limit',
      [...complete, 'server.resources.requests.cpu=2', 'server.resources.limits.cpu=1999m'],
      'server.resources.requests.cpu: 2 is more than the limit of 1999m',
    ],
    ...[
      { name: 'worker', bytes: 2 ** 29 - 1, least: '512Mi' },
      { name: 'server', bytes: 2 ** 28 - 1, least: '256Mi' },
      { name: 'gateway', bytes: 2 ** 28 - 1, least: '256Mi' },
      { name: 'topics', bytes: 2 ** 27 - 1, least: '128Mi' },
    ].map(({ name, bytes, least }): [string, string[], string] => [
      `too little memory for ${name}`,
      [
        ...complete,
        ...gateway,
        `${name}.resources.limits.memory=${bytes}`,
        `${name}.resources.requests.memory=1Mi`,
      ],
      `${name}.resources.limits.memory: ${bytes} is too little; set at least ${least}`,
    ]),
    [
      'what is not a quantity',
      [...complete, 'worker.resources.limits.memory=1GB'],
      'worker.resources.limits.memory: "1GB" is not a quantity of Kubernetes',
    ],
    ['a misspelled setting', ['config.tool_call_loop.max_repeat=4'], 'max_repeat'],
    ['a misspelled value', ['worker.replica=4'], 'replica'],
    ['a password in the settings', ['config.kafka.sasl.password=x'], 'password'],
    ['a model key in the settings', ['config.llm.api_key=x'], 'api_key'],
    [
      'a secret of a receiver in the settings',
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
