import { accessSync, constants } from 'node:fs';
import { messageOf } from '@loopwatch/contract';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Invalid `OTEL_*` variables, one line each. */
export class TelemetrySettingsError extends Error {
  override readonly name = 'TelemetrySettingsError';
}

/**
 * Reads variables and collects what is wrong with them, so that all faults are reported together. An empty variable counts
 * as unset, as OpenTelemetry specifies. No message contains a header, which may be a secret.
 */
export class Variables {
  readonly #environment: Environment;
  readonly #faults = new Set<string>();

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  text(name: string): string | undefined {
    const text = this.#environment[name]?.trim();
    return text === '' ? undefined : text;
  }

  /** The first of these variables that is set. */
  firstSet(...names: readonly string[]): string | undefined {
    return names.find((name) => this.text(name) !== undefined);
  }

  /** One of these values; undefined if unset or invalid. @param advice on values that other tools have and this one has not */
  choice<T extends string>(
    name: string,
    values: readonly T[],
    advice: Readonly<Record<string, string>> = {},
  ): T | undefined {
    const text = this.text(name)?.toLowerCase();
    if (text === undefined) return undefined;
    const value = values.find((one) => one === text);
    if (value === undefined)
      this.fault(name, advice[text] ?? `"${text}" is not supported; use ${values.join(' or ')}`);
    return value;
  }

  /** @param unit names the unit in messages */
  positive(name: string, unit: string): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const value = Number(text);
    // Longer timers overflow and fire at once.
    if (Number.isInteger(value) && value > 0 && value < 2 ** 31) return value;
    this.fault(name, `"${text}" is not a number of ${unit}; use a whole number greater than 0`);
    return undefined;
  }

  /** A number from 0 to 1. */
  share(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const value = Number(text);
    if (value >= 0 && value <= 1) return value;
    this.fault(name, `"${text}" is not a share; use a number from 0 to 1`);
    return undefined;
  }

  url(name: string): URL | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url !== undefined && /^https?:$/.test(url.protocol)) return url;
    this.fault(
      name,
      `"${text}" is not an address that starts with http:// or https://; for example http://localhost:4318`,
    );
    return undefined;
  }

  /** `name=value,name=value`, with values in percent-encoding. */
  pairs(name: string): Record<string, string> {
    const found: Record<string, string> = {};
    for (const pair of (this.text(name) ?? '').split(',')) {
      if (pair.trim() === '') continue;
      const equals = pair.indexOf('=');
      const key = pair.slice(0, equals).trim();
      try {
        if (equals < 1 || key === '') throw new Error();
        found[key] = decodeURIComponent(pair.slice(equals + 1).trim());
      } catch {
        this.fault(
          name,
          'expected name=value,name=value with values in percent-encoding (a space is %20, a comma is %2C)',
        );
      }
    }
    return found;
  }

  /** Reports a file that cannot be read; the exporters would go on without it. */
  file(name: string): void {
    const path = this.text(name);
    if (path === undefined) return;
    try {
      accessSync(path, constants.R_OK);
    } catch (error) {
      this.fault(name, `cannot read the file: ${messageOf(error)}`);
    }
  }

  fault(name: string, message: string): void {
    this.#faults.add(`${name}: ${message}`);
  }

  /** @throws TelemetrySettingsError if anything was invalid */
  check(): void {
    if (this.#faults.size > 0) throw new TelemetrySettingsError([...this.#faults].join('\n'));
  }
}
