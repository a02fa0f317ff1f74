import { accessSync, constants } from 'node:fs';
import { messageOf } from '@loopwatch/contract';

type Environment = Readonly<Record<string, string | undefined>>;

/** Where one signal is sent. Timeout, compression, certificates and sampler are read by OpenTelemetry's SDK itself. */
export interface SignalSettings {
  /** The whole address, including `/v1/traces` or `/v1/metrics`. */
  readonly url: string;
  readonly protocol: 'http/protobuf' | 'http/json';
  readonly headers: Readonly<Record<string, string>>;
}

/** What OpenTelemetry's environment variables ask for; at least one signal is on. */
export interface TelemetrySettings {
  readonly traces: SignalSettings | undefined;
  readonly metrics: (SignalSettings & { readonly intervalMs: number }) | undefined;
  /** Attributes of this process, `service.name` among them if the environment names it. */
  readonly attributes: Readonly<Record<string, string>>;
}

/** Invalid `OTEL_*` variables, one line each. */
export class TelemetrySettingsError extends Error {
  override readonly name = 'TelemetrySettingsError';
}

const DEFAULT_ENDPOINT = 'http://localhost:4318';
const DEFAULT_INTERVAL_MS = 60_000;
const samplers = ['always_on', 'always_off', 'traceidratio'].flatMap((name) => [name, `parentbased_${name}`]);

/**
 * Reads OpenTelemetry's environment variables. A signal is on when its exporter is `otlp`, or is unset while an address is set.
 *
 * @returns undefined if neither signal is on
 * @throws TelemetrySettingsError that names each invalid variable, also of those that only the SDK reads
 */
export function readTelemetrySettings(environment: Environment = process.env): TelemetrySettings | undefined {
  const variables = new Variables(environment);
  const disabled = variables.read('OTEL_SDK_DISABLED', (text) =>
    oneOf(['true', 'false'])(text.toLowerCase()),
  );
  const traces = disabled === 'true' ? undefined : signalSettings(variables, 'TRACES');
  const metrics = disabled === 'true' ? undefined : signalSettings(variables, 'METRICS');
  const settings = (traces ?? metrics) && {
    traces,
    metrics: metrics && {
      ...metrics,
      intervalMs: variables.read('OTEL_METRIC_EXPORT_INTERVAL', milliseconds) ?? DEFAULT_INTERVAL_MS,
    },
    attributes: {
      ...variables.read('OTEL_RESOURCE_ATTRIBUTES', pairs),
      ...variables.read('OTEL_SERVICE_NAME', (name) => ({ 'service.name': name })),
    },
  };
  if (traces !== undefined) {
    const sampler = variables.read('OTEL_TRACES_SAMPLER', oneOf(samplers));
    if (sampler?.endsWith('traceidratio') === true) variables.read('OTEL_TRACES_SAMPLER_ARG', share);
  }
  variables.check();
  return settings;
}

function signalSettings(variables: Variables, signal: 'TRACES' | 'METRICS'): SignalSettings | undefined {
  const own = (name: string): string => `OTEL_EXPORTER_OTLP_${signal}_${name}`;
  const common = (name: string): string => `OTEL_EXPORTER_OTLP_${name}`;
  /** A variable of this signal, or of all. */
  const either = <T>(name: string, parse: (text: string) => T): T | undefined =>
    variables.read(variables.has(own(name)) ? own(name) : common(name), parse);
  const exporter = variables.read(
    `OTEL_${signal}_EXPORTER`,
    oneOf(['otlp', 'none'], {
      prometheus:
        'Prometheus metrics are always served at /metrics; leave this unset, or use otlp to send them as well',
      console: 'there is no exporter to the console; use otlp, or none',
    }),
  );
  const isAddressed = variables.has(own('ENDPOINT')) || variables.has(common('ENDPOINT'));
  if (exporter === 'none' || (exporter === undefined && !isAddressed)) return undefined;
  for (const name of ['CERTIFICATE', 'CLIENT_CERTIFICATE', 'CLIENT_KEY']) either(name, readable);
  either('TIMEOUT', milliseconds);
  either('COMPRESSION', oneOf(['gzip', 'none']));
  const protocols = oneOf(['http/protobuf', 'http/json'], {
    grpc: 'gRPC is not supported; use http/protobuf with the HTTP port of the collector, usually 4318',
  });
  const url = either('ENDPOINT', httpUrl) ?? new URL(DEFAULT_ENDPOINT);
  // An address for all signals is a base; that of one signal is used as it is.
  if (!variables.has(own('ENDPOINT')))
    url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/${signal.toLowerCase()}`;
  return {
    url: url.href,
    protocol: either('PROTOCOL', protocols) ?? 'http/protobuf',
    headers: { ...variables.read(common('HEADERS'), pairs), ...variables.read(own('HEADERS'), pairs) },
  };
}

/** @param advice on values that other tools have and this one has not */
function oneOf<T extends string>(values: readonly T[], advice: Readonly<Record<string, string>> = {}) {
  return (text: string): T => {
    const value = values.find((one) => one === text);
    if (value === undefined)
      throw new Error(advice[text] ?? `"${text}" is not supported; use ${values.join(' or ')}`);
    return value;
  };
}

function milliseconds(text: string): number {
  const value = Number(text);
  // Longer timers overflow and fire at once.
  if (Number.isInteger(value) && value > 0 && value < 2 ** 31) return value;
  throw new Error(`"${text}" is not a number of milliseconds; use a whole number greater than 0`);
}

function share(text: string): void {
  const value = Number(text);
  if (!(value >= 0 && value <= 1)) throw new Error(`"${text}" is not a share; use a number from 0 to 1`);
}

function httpUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol)) return url;
  throw new Error(
    `"${text}" is not an address that starts with http:// or https://; for example http://localhost:4318`,
  );
}

/** `name=value,name=value`, with values in percent-encoding. */
function pairs(text: string): Record<string, string> {
  const texts = text.split(',').filter((pair) => pair.trim() !== '');
  try {
    return Object.fromEntries(
      texts.map((pair) => {
        const [name = '', ...value] = pair.split('=');
        if (name.trim() === '' || value.length === 0) throw new Error();
        return [name.trim(), decodeURIComponent(value.join('=').trim())];
      }),
    );
  } catch {
    throw new Error(
      'expected name=value,name=value with values in percent-encoding (a space is %20, a comma is %2C)',
    );
  }
}

/** Fails for a file that cannot be read; the exporters would go on without it. */
function readable(path: string): void {
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    throw new Error(`cannot read the file: ${messageOf(error)}`, { cause: error });
  }
}

/**
 * Reads variables and collects what is wrong with them, so that all faults are reported together. An empty variable counts
 * as unset, as OpenTelemetry specifies. No message contains a header, which may be a secret.
 */
class Variables {
  readonly #environment: Environment;
  readonly #faults = new Set<string>();

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  has(name: string): boolean {
    return (this.#environment[name]?.trim() ?? '') !== '';
  }

  /** @param parse throws what is wrong @returns undefined if unset or invalid */
  read<T>(name: string, parse: (text: string) => T): T | undefined {
    try {
      return this.has(name) ? parse(this.#environment[name]?.trim() ?? '') : undefined;
    } catch (error) {
      this.#faults.add(`${name}: ${messageOf(error)}`);
      return undefined;
    }
  }

  /** @throws TelemetrySettingsError if anything was invalid */
  check(): void {
    if (this.#faults.size > 0) throw new TelemetrySettingsError([...this.#faults].join('\n'));
  }
}
