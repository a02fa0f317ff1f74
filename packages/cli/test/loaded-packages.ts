import { readFile } from 'node:fs/promises';

/** Flags of Node for a command that prints each module that it loads. */
export const printModules = `--import=${new URL('./loaded-modules.js', import.meta.url).href}`;

/** The npm packages, or those of a scope, whose code a command of the build has loaded. @param stderr what it printed */
export async function loadedPackages(stderr: readonly string[]): Promise<ReadonlySet<string>> {
  const files = stderr.flatMap((line) => /^module (file:.*)/.exec(line)?.[1] ?? []);
  const code = await Promise.all(files.map((url) => readFile(new URL(url), 'utf8')));
  // The bundler heads the code of each file with its path.
  const headings = code.flatMap((text) => [...text.matchAll(/^\/\/ node_modules\/((?:@[^/]+\/)?[^/]+)\//gm)]);
  return new Set(headings.map(([, name = '']) => name));
}

/** Those of the OpenTelemetry SDK. */
export function telemetryIn(packages: ReadonlySet<string>): string[] {
  return [...packages].filter((name) => name.startsWith('@opentelemetry/') && name !== '@opentelemetry/api');
}
