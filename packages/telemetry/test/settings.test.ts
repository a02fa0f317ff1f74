import { describe, expect, it } from 'vitest';
import { readTelemetrySettings } from '../src/index.ts';

const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
const onFor = (environment: Record<string, string>) => {
  const settings = readTelemetrySettings(environment);
  return { traces: settings?.traces?.url, metrics: settings?.metrics?.url };
};

describe('which signals are on', () => {
  it.each([
    ['nothing is set', {}, undefined, undefined],
    [
      'the variables are empty',
      { OTEL_EXPORTER_OTLP_ENDPOINT: '', OTEL_TRACES_EXPORTER: ' ' },
      undefined,
      undefined,
    ],
    ['an address is set', collector, 'http://collector:4318/v1/traces', 'http://collector:4318/v1/metrics'],
    [
      'an address with a path is set',
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://otlp.example.com/tenant/' },
      'https://otlp.example.com/tenant/v1/traces',
      'https://otlp.example.com/tenant/v1/metrics',
    ],
    [
      'only traces have an address',
      { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://tempo/otlp' },
      'http://tempo/otlp',
      undefined,
    ],
    [
      'only metrics have an address',
      { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://prometheus/api/v1/otlp/v1/metrics' },
      undefined,
      'http://prometheus/api/v1/otlp/v1/metrics',
    ],
    ['an exporter is set', { OTEL_TRACES_EXPORTER: 'otlp' }, 'http://localhost:4318/v1/traces', undefined],
    [
      'one exporter is none',
      { ...collector, OTEL_METRICS_EXPORTER: 'none' },
      'http://collector:4318/v1/traces',
      undefined,
    ],
    ['the SDK is disabled', { ...collector, OTEL_SDK_DISABLED: 'TRUE' }, undefined, undefined],
  ] as const)('telemetry settings: %s', (_, environment, traces, metrics) => {
    expect(onFor(environment)).toEqual({ traces, metrics });
  });
});

it('telemetry settings: reads headers, protocol, interval and attributes', () => {
  expect(
    readTelemetrySettings({
      ...collector,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc,tenant=a',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'tenant=b',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: 'http/protobuf',
      OTEL_EXPORTER_OTLP_TIMEOUT: '2500',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
      OTEL_METRIC_EXPORT_INTERVAL: '15000',
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=loops,deployment.environment.name=prod%20eu',
    }),
  ).toEqual({
    traces: {
      url: 'http://collector:4318/v1/traces',
      protocol: 'http/json',
      headers: { authorization: 'Bearer abc', tenant: 'b' },
    },
    metrics: {
      url: 'http://collector:4318/v1/metrics',
      protocol: 'http/protobuf',
      headers: { authorization: 'Bearer abc', tenant: 'a' },
      intervalMs: 15_000,
    },
    attributes: { 'service.name': 'loops', 'deployment.environment.name': 'prod eu' },
  });
});

it('telemetry settings: OTEL_SERVICE_NAME overrides the attribute', () => {
  const environment = {
    ...collector,
    OTEL_SERVICE_NAME: 'a',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=b',
  };
  expect(readTelemetrySettings(environment)?.attributes['service.name']).toBe('a');
});

describe('invalid variables', () => {
  it.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318', /http:\/\/ or https:\/\//],
    ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'not an address', /http:\/\/ or https:\/\//],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', /gRPC is not supported; use http\/protobuf .* 4318/],
    ['OTEL_EXPORTER_OTLP_METRICS_PROTOCOL', 'thrift', /use http\/protobuf or http\/json/],
    ['OTEL_TRACES_EXPORTER', 'zipkin', /use otlp or none/],
    ['OTEL_METRICS_EXPORTER', 'prometheus', /always served at \/metrics/],
    ['OTEL_TRACES_SAMPLER', 'jaeger_remote', /use always_on or/],
    ['OTEL_METRIC_EXPORT_INTERVAL', '15s', /whole number/],
    ['OTEL_EXPORTER_OTLP_TIMEOUT', '0', /whole number greater than 0/],
    ['OTEL_SDK_DISABLED', 'yes', /use true or false/],
    ['OTEL_RESOURCE_ATTRIBUTES', 'team', /expected name=value/],
    ['OTEL_EXPORTER_OTLP_CERTIFICATE', '/no/such/file.pem', /cannot read the file/],
  ])('telemetry settings: %s=%s is an error with a remedy', (name, value, expected) => {
    const read = () => readTelemetrySettings({ ...collector, [name]: value });
    expect(read).toThrow(new RegExp(`^${name}: `));
    expect(read).toThrow(expected);
  });

  it('telemetry settings: a ratio outside 0 to 1 is an error only for a sampler that uses it', () => {
    const environment = { ...collector, OTEL_TRACES_SAMPLER_ARG: '30' };
    expect(readTelemetrySettings(environment)?.traces).toBeDefined();
    expect(() => readTelemetrySettings({ ...environment, OTEL_TRACES_SAMPLER: 'traceidratio' })).toThrow(
      'OTEL_TRACES_SAMPLER_ARG: "30" is not a share; use a number from 0 to 1',
    );
  });

  it('telemetry settings: reports all errors, without exposing headers', () => {
    const environment = {
      ...collector,
      OTEL_EXPORTER_OTLP_HEADERS: 'Bearer-secret',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    };
    const read = () => readTelemetrySettings(environment);
    expect(read).toThrow(
      /OTEL_EXPORTER_OTLP_HEADERS: expected[\s\S]*OTEL_EXPORTER_OTLP_PROTOCOL|OTEL_EXPORTER_OTLP_PROTOCOL[\s\S]*OTEL_EXPORTER_OTLP_HEADERS/,
    );
    expect(read).not.toThrow(/secret/);
  });
});
