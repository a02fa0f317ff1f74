import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { settingsSchema } from '@loopwatch/contract';
import { resolveSettings } from '@loopwatch/contract/internal';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { chartFiles } from '../../../scripts/chart/files.ts';
import { valueRows } from '../../../scripts/chart/readme.ts';
import { root } from './dashboard-queries.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** The settings that differ from the defaults, by path. */
function deviations(sources: {
  readonly file?: unknown;
  readonly environment?: Readonly<Record<string, string>>;
}): Readonly<Record<string, unknown>> {
  const resolved = resolveSettings({
    ...(sources.file !== undefined && { file: { name: 'the file', value: sources.file } }),
    environment: sources.environment ?? {},
    flags: {},
    flagNames: {},
  });
  if (!resolved.ok) throw new Error(resolved.errors.join('\n'));
  const defaults = leaves(settingsSchema.parse({}));
  const given = leaves(resolved.settings);
  return Object.fromEntries(
    [...new Set([...Object.keys(defaults), ...Object.keys(given)])]
      .filter((path) => JSON.stringify(defaults[path]) !== JSON.stringify(given[path]))
      .map((path) => [path, given[path]]),
  );
}

function leaves(value: object, prefix = ''): Record<string, unknown> {
  return Object.assign(
    {},
    ...Object.entries(value).map(([key, inner]: [string, unknown]) =>
      typeof inner === 'object' && inner !== null && !Array.isArray(inner)
        ? leaves(inner, `${prefix}${key}.`)
        : { [`${prefix}${key}`]: inner },
    ),
  ) as Record<string, unknown>;
}

/** What Compose passes on when the user sets none of its variables. */
const interpolated = (text: string): string => text.replace(/\$\{\w+:-([^}]*)\}/g, '$1');

describe('deployed settings', () => {
  const { services } = parse(read('docker-compose.yml'), { merge: true }) as {
    services: Record<string, { build?: string; environment?: Record<string, string> }>;
  };
  const shared = {
    'kafka.brokers': ['kafka:19092'],
    'log.format': 'json',
    'storage.database_url': 'postgres://loopwatch:loopwatch@postgres:5432/loopwatch',
  };

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ['topics', shared],
    ['worker', shared],
    ['server', { ...shared, 'server.allow_anonymous': true, 'server.allowed_hosts': ['server'] }],
    ['gateway', { ...shared, 'gateway.upstream': 'https://api.openai.com/v1' }],
  ])('docker-compose.yml: service %s differs from the defaults only where it must', (name, expected) => {
    const environment = Object.fromEntries(
      Object.entries(services[name]?.environment ?? {}).map(([key, text]) => [key, interpolated(text)]),
    );
    expect(deviations({ environment })).toEqual(expected);
  });

  it('Dockerfile: differs from the defaults only in addresses and the data folder', () => {
    const environment = Object.fromEntries(
      [...read('Dockerfile').matchAll(/\b(LOOPWATCH_[A-Z_]+)=(\S+)/g)].map(([, name = '', value = '']) => [
        name,
        value,
      ]),
    );
    // Named in a comment: a decision of the user.
    delete environment['LOOPWATCH_SERVER_ALLOW_ANONYMOUS'];
    expect(deviations({ environment })).toEqual({
      'worker.host': '0.0.0.0',
      'server.host': '0.0.0.0',
      'gateway.host': '0.0.0.0',
      'storage.data_dir': '/var/lib/loopwatch',
    });
  });

  it('Helm chart: its settings differ from the defaults only in the format of logs', () => {
    const { config } = parse(read('deploy/helm/loopwatch/values.yaml')) as { config: unknown };
    expect(deviations({ file: config })).toEqual({ 'log.format': 'json' });
  });

  it('deployed settings: a changed preset would be detected', () => {
    expect(deviations({ environment: { LOOPWATCH_PRESET: 'stream' } })).toMatchObject({ preset: 'stream' });
  });

  it('Helm chart and docker-compose.yml: allow a process more time to stop than it needs', () => {
    const grace = Number(
      /GRACE_MS = ([\d_]+);/.exec(read('packages/cli/src/runtime/lifecycle.ts'))?.[1]?.replace('_', ''),
    );
    expect(grace).toBe(30_000);
    const { terminationGracePeriodSeconds } = parse(read('deploy/helm/loopwatch/values.yaml')) as {
      terminationGracePeriodSeconds: number;
    };
    const preStop = Number(
      /command: \[sleep, "(\d+)"\]/.exec(read('deploy/helm/loopwatch/templates/_pod.tpl'))?.[1],
    );
    expect(terminationGracePeriodSeconds * 1_000).toBeGreaterThan(grace + preStop * 1_000);
    for (const [, seconds] of read('docker-compose.yml').matchAll(/stop_grace_period: (\d+)s/g))
      expect(Number(seconds) * 1_000).toBeGreaterThan(grace);
  });
});

describe('files of the Helm chart', () => {
  it.each([...chartFiles()])('%s is what `npm run generate` writes', (path, text) => {
    expect(read(path)).toBe(text);
  });

  it('Helm chart: contains only dashboards that exist in grafana/', () => {
    expect(readdirSync(join(root, 'deploy/helm/loopwatch/files/dashboards'))).toEqual(
      readdirSync(join(root, 'grafana/dashboards')),
    );
  });

  it('Helm chart: every value has a comment, which README.md shows', () => {
    const rows = valueRows(read('deploy/helm/loopwatch/values.yaml'));
    expect(rows.length).toBeGreaterThan(50);
    expect(rows.filter(({ text }) => text === undefined)).toEqual([]);
  });

  it('Helm chart: has the version of Loopwatch', () => {
    const { version } = JSON.parse(read('packages/cli/package.json')) as { version: string };
    expect(parse(read('deploy/helm/loopwatch/Chart.yaml'))).toMatchObject({ version, appVersion: version });
  });
});
