import { type Environment, Variables } from './environment.ts';

export { TelemetrySettingsError } from './environment.ts';

const protocols = ['http/protobuf', 'http/json'] as const;
const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
export type SamplerName = (typeof samplers)[number];

/** Where one signal is sent, and how. */
export interface SignalSettings {
  /** The whole address, including `/v1/traces` or `/v1/metrics`. */
  readonly url: string;
  readonly protocol: (typeof protocols)[number];
  readonly headers: Readonly<Record<string, string>>;
  /** Upper bound of one export with its retries, ms. */
  readonly timeoutMs: number;
  readonly compression: 'gzip' | 'none';
}

/** What OpenTelemetry's environment variables ask for; at least one signal is on. */
export interface TelemetrySettings {
  readonly traces:
    | (SignalSettings & {
        readonly sampler: SamplerName;
        /** Share of the traces that a ratio sampler records. */
        readonly ratio: number;
      })
    | undefined;
  readonly metrics: (SignalSettings & { readonly intervalMs: number }) | undefined;
  /** Default: the process' own name. */
  readonly serviceName: string | undefined;
  /** Further attributes of this process. */
  readonly attributes: Readonly<Record<string, string>>;
}

const DEFAULT_ENDPOINT = 'http://localhost:4318';
const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_INTERVAL_MS = 60_000;

/**
 * Reads OpenTelemetry's environment variables. A signal is on when its exporter is `otlp`, or is unset while an address is set.
 *
 * @returns undefined if neither signal is on
 * @throws TelemetrySettingsError that names each invalid variable
 */
export function readTelemetrySettings(environment: Environment = process.env): TelemetrySettings | undefined {
  const variables = new Variables(environment);
  const isOff = variables.choice('OTEL_SDK_DISABLED', ['true', 'false']) === 'true';
  const traces = isOff ? undefined : signalSettings(variables, 'TRACES');
  const metrics = isOff ? undefined : signalSettings(variables, 'METRICS');
  if (traces === undefined && metrics === undefined) {
    variables.check();
    return undefined;
  }
  const { 'service.name': named, ...attributes } = variables.pairs('OTEL_RESOURCE_ATTRIBUTES');
  const settings = {
    traces: traces && { ...traces, ...samplerSettings(variables) },
    metrics: metrics && {
      ...metrics,
      intervalMs: variables.positive('OTEL_METRIC_EXPORT_INTERVAL', 'milliseconds') ?? DEFAULT_INTERVAL_MS,
    },
    serviceName: variables.text('OTEL_SERVICE_NAME') ?? named,
    attributes,
  };
  variables.check();
  return settings;
}

function signalSettings(variables: Variables, signal: 'TRACES' | 'METRICS'): SignalSettings | undefined {
  const own = (name: string): string => `OTEL_EXPORTER_OTLP_${signal}_${name}`;
  const common = (name: string): string => `OTEL_EXPORTER_OTLP_${name}`;
  const either = (name: string): string => variables.firstSet(own(name)) ?? common(name);
  const exporter = variables.choice(`OTEL_${signal}_EXPORTER`, ['otlp', 'none'], {
    prometheus:
      'Prometheus metrics are always served at /metrics; leave this unset, or use otlp to send them as well',
    console: 'there is no exporter to the console; use otlp, or none',
  });
  if (exporter === 'none') return undefined;
  const address = variables.firstSet(own('ENDPOINT'), common('ENDPOINT'));
  if (exporter === undefined && address === undefined) return undefined;
  for (const name of ['CERTIFICATE', 'CLIENT_CERTIFICATE', 'CLIENT_KEY']) variables.file(either(name));
  const protocol = variables.choice(either('PROTOCOL'), protocols, {
    grpc: 'gRPC is not supported; use http/protobuf with the HTTP port of the collector, usually 4318',
  });
  return {
    url: addressOf(variables, signal, address),
    protocol: protocol ?? 'http/protobuf',
    headers: { ...variables.pairs(common('HEADERS')), ...variables.pairs(own('HEADERS')) },
    timeoutMs: variables.positive(either('TIMEOUT'), 'milliseconds') ?? DEFAULT_TIMEOUT_MS,
    compression: variables.choice(either('COMPRESSION'), ['gzip', 'none']) ?? 'none',
  };
}

/** An address for all signals is a base; that of one signal is used as it is. */
function addressOf(variables: Variables, signal: string, variable: string | undefined): string {
  const url = (variable && variables.url(variable)) || new URL(DEFAULT_ENDPOINT);
  if (variable?.includes(signal) === true) return url.href;
  url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/${signal.toLowerCase()}`;
  return url.href;
}

function samplerSettings(variables: Variables): { sampler: SamplerName; ratio: number } {
  const sampler = variables.choice('OTEL_TRACES_SAMPLER', samplers) ?? 'parentbased_always_on';
  const ratio = sampler.endsWith('traceidratio') ? variables.share('OTEL_TRACES_SAMPLER_ARG') : undefined;
  return { sampler, ratio: ratio ?? 1 };
}
