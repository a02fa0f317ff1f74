import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../..', import.meta.url));
const packed = join(root, '.cache/packages');
const run = promisify(execFile);

/** Packs the packages that are published, unless they are up to date. */
export async function pack(): Promise<void> {
  await run(process.execPath, ['scripts/build.mjs', '--if-needed', '--pack'], { cwd: root });
}

/** Path of a package's tarball. */
export function tarball(name: string): string {
  const prefix = `${name.replace('@', '').replace('/', '-')}-`;
  const file = readdirSync(packed).find(
    (it) => it.startsWith(prefix) && /^\d.*\.tgz$/.test(it.slice(prefix.length)),
  );
  if (file === undefined) throw new Error(`No tarball of ${name} in ${packed}`);
  return join(packed, file);
}

/** Installs packages into a folder as a user does; those from npm come from npm's cache if they are there. */
export async function install(folder: string, packages: readonly string[]): Promise<void> {
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  const options = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
  await run('npm', ['install', ...options, ...packages], { cwd: folder });
}

/** Total size of a folder's files, in megabytes. */
export async function megabytesOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const sizes = await Promise.all(files.map(async (path) => (await stat(path)).size));
  return sizes.reduce((sum, size) => sum + size, 0) / 1e6;
}

/** Runs a script in a folder. @returns what it prints */
export async function runNode(folder: string, script: string, node = process.execPath): Promise<string> {
  return (await run(node, [script], { cwd: folder })).stdout;
}

/** Compiles files as an application would, strictly and with the types of its packages. @returns the errors */
export async function compile(folder: string, files: readonly string[], resolution: string): Promise<string> {
  const module = resolution === 'nodenext' ? resolution : 'esnext';
  const options = [
    '--strict',
    '--noEmit',
    '--skipLibCheck',
    'false',
    '--target',
    'es2023',
    '--lib',
    'es2023,dom',
  ];
  const resolving = ['--module', module, '--moduleResolution', resolution, '--types', ''];
  const compiler = join(root, 'node_modules/typescript-7/bin/tsc');
  return run(process.execPath, [compiler, ...options, ...resolving, ...files], { cwd: folder }).then(
    () => '',
    (error: unknown) => (error as { readonly stdout: string }).stdout,
  );
}
