import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { blocksCheckedBy, root } from '../../src/documented/index.ts';
import { chartTools, type KubernetesObject } from './helm.ts';
import { only, podOf, workloads } from './pods.ts';

let helm: string;
beforeAll(async () => {
  ({ helm } = await chartTools());
});

/** Runs the commands with Helm, which renders instead of installing. @returns the objects, and the arguments of kubectl */
function install(commands: string): { objects: readonly KubernetesObject[]; kubectl: readonly string[][] } {
  const folder = mkdtempSync(join(tmpdir(), 'loopwatch-chart-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  symlinkSync(join(root, 'deploy'), join(folder, 'deploy'));
  const standIns = {
    helm: `[ "$1" = install ] || exit 1\nshift\nexec "${helm}" template "$@"`,
    kubectl: `printf '%s\\n' "$@" '' >> kubectl.log`,
  };
  for (const [name, script] of Object.entries(standIns)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  const { status, stdout, stderr } = spawnSync('bash', ['-e', '-c', commands], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${folder}:${process.env['PATH'] ?? ''}` },
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const calls = readFileSync(join(folder, 'kubectl.log'), 'utf8').split('\n\n').slice(0, -1);
  return {
    objects: parseAllDocuments(stdout).map((document) => document.toJS() as KubernetesObject),
    kubectl: calls.map((call) => call.split('\n')),
  };
}

/** What the pods read from Secrets, as `secret/key`; with `required`, only what they do not start without. */
function secretsOf(objects: readonly KubernetesObject[], required = false): string[] {
  const pods = objects.filter(({ kind }) => [...workloads, 'Job'].includes(kind)).map(podOf);
  const keys = pods.flatMap(({ containers }) =>
    containers[0].env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef ?? []),
  );
  return keys
    .filter(({ optional }) => !required || optional !== true)
    .map(({ name, key }) => `${name}/${key}`);
}

it.each(blocksCheckedBy(import.meta.url))(
  '$page, $title: installs worker and server, with the Secret that they read',
  ({ text }) => {
    const { objects, kubectl } = install(text);
    expect(objects.filter(({ kind }) => workloads.includes(kind))).toHaveLength(2);
    const secret = kubectl.find((call) => call.includes('secret')) ?? [];
    const name = secret[secret.indexOf('generic') + 1];
    const literals = secret.flatMap((one) => /^--from-literal=(\w+)=./.exec(one)?.[1] ?? []);
    const created = literals.map((key) => `${name}/${key}`);
    expect(secretsOf(objects)).toEqual(expect.arrayContaining(created));
    expect(created).toEqual(expect.arrayContaining(secretsOf(objects, true)));
    expect(secretsOf(objects, true)).toContain(`${name}/DATABASE_URL`);
  },
);

it('docs/deployment.md: uses one namespace, and a service that exists; monitoring is on', () => {
  const [block] = blocksCheckedBy(import.meta.url, 'docs/deployment.md');
  const { objects, kubectl } = install(block!.text);
  const namespaces = kubectl.slice(1).map((call) => call.slice(0, 2));
  expect(kubectl[0]).toEqual(['create', 'namespace', 'loopwatch']);
  expect(new Set(namespaces.map(String))).toEqual(new Set(['--namespace,loopwatch']));
  const forward = kubectl.find((call) => call.includes('port-forward')) ?? [];
  const [, service] = /^service\/(.*)$/.exec(forward.at(-2) ?? '') ?? [];
  expect(only(objects, 'Service', service).spec).toMatchObject({
    ports: expect.arrayContaining([expect.objectContaining({ port: Number(forward.at(-1)?.split(':')[1]) })]),
  });
  const kinds = objects.map(({ kind }) => kind);
  expect(kinds).toEqual(expect.arrayContaining(['PodMonitor', 'PrometheusRule', 'Job']));
});
