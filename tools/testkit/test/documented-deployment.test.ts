import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { settingsSchema } from '@loopwatch/contract';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { root } from './dashboard-queries.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const page = read('docs/deployment.md');

interface PrometheusConfig {
  readonly rule_files: readonly string[];
  readonly scrape_configs: readonly {
    readonly job_name: string;
    readonly static_configs?: readonly { readonly targets: readonly string[] }[];
  }[];
}

describe('docs/deployment.md', () => {
  it('deployment: its commands use files that exist', () => {
    const files = [...page.matchAll(/\b(?:deploy|prometheus)\/[\w/.-]+\w/g)].map(([path]) => path);
    expect(files.length).toBeGreaterThan(5);
    expect(files.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('deployment: its configuration is valid', () => {
    const text = /> \.loopwatch\/loopwatch\.yaml <<'EOF'\n([\s\S]*?)^EOF$/m.exec(page)?.[1] ?? '';
    expect(settingsSchema.safeParse(parse(text)).error?.issues ?? []).toEqual([]);
    expect(read('deploy/local/print-notifications.mjs')).toContain('.listen(9000,');
    expect(text).toContain('http://localhost:9000');
  });

  it('deploy/local/prometheus.yml: scrapes the ports of worker and server, and loads the alerts', () => {
    const config = parse(read('deploy/local/prometheus.yml')) as PrometheusConfig;
    const { worker, server } = settingsSchema.parse({});
    expect(
      config.scrape_configs.map(({ job_name, static_configs }) => [job_name, static_configs?.[0]?.targets]),
    ).toEqual([
      ['loopwatch-worker', [`localhost:${worker.port}`]],
      ['loopwatch-server', [`localhost:${server.port}`]],
    ]);
    expect(config.rule_files.map((path) => join('deploy/local', path))).toEqual(['prometheus/alerts.yml']);
  });
});

describe('deploy/local/kafka.sh', () => {
  const script = read('deploy/local/kafka.sh');

  it('kafka.sh: is a valid script', () => {
    expect(spawnSync('bash', ['-n', join(root, 'deploy/local/kafka.sh')]).status).toBe(0);
  });

  it('kafka.sh: uses no port of a service that Debian starts by default', () => {
    const ports = [...script.matchAll(/localhost:(\d+)/g)].map(([, port]) => Number(port));
    expect(new Set(ports)).toEqual(new Set([9092, 19093]));
    // Prometheus, Alertmanager and its cluster, PostgreSQL.
    for (const port of [9090, 9093, 9094, 5432]) expect(ports).not.toContain(port);
  });
});

interface AlertmanagerConfig {
  readonly route: { readonly receiver: string };
  readonly receivers: readonly { readonly name: string }[];
  readonly inhibit_rules: readonly {
    readonly source_matchers: readonly string[];
    readonly target_matchers: readonly string[];
  }[];
}

describe('prometheus/alertmanager.yml', () => {
  const config = parse(read('prometheus/alertmanager.yml')) as AlertmanagerConfig;

  it('deploy/local/alertmanager.yml: differs only in its receiver', () => {
    const local = parse(read('deploy/local/alertmanager.yml')) as AlertmanagerConfig;
    const [receiver, ...others] = local.receivers;
    expect(receiver).toEqual({ name: 'terminal', webhook_configs: [{ url: 'http://localhost:9000' }] });
    expect(others).toEqual([]);
    const route = { ...local.route, receiver: config.route.receiver };
    expect({ ...local, route, receivers: config.receivers }).toEqual(config);
  });

  it('Alertmanager: its route names an existing receiver', () => {
    expect(config.receivers.map(({ name }) => name)).toContain(config.route.receiver);
  });

  it('Alertmanager: its inhibition rules name existing alerts', () => {
    const { groups } = parse(read('prometheus/alerts.yml')) as {
      groups: { rules: { alert: string }[] }[];
    };
    const alerts = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));
    const named = config.inhibit_rules.flatMap(({ source_matchers, target_matchers }) =>
      [...source_matchers, ...target_matchers].flatMap(
        (matcher) => /^alertname=~?"([^"]*)"$/.exec(matcher)?.[1]?.split('|') ?? [matcher],
      ),
    );
    expect(named.length).toBeGreaterThan(1);
    expect(named.filter((name) => !alerts.includes(name))).toEqual([]);
  });
});
