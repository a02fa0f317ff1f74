// Builds every package with `tsc -b` (incremental) and the dashboard with vite.
// `--if-needed` skips vite when no file that it reads is newer than its last output.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const built = join(root, 'packages/dashboard/dist/index.html');
const inputs = [
  'package-lock.json',
  'packages/dashboard/index.html',
  'packages/dashboard/vite.config.ts',
  'packages/dashboard/public',
  'packages/dashboard/src',
  'packages/contract/src',
  'packages/detectors/src',
];

function newest(path) {
  if (!existsSync(path)) return 0;
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}

function run(tool, ...args) {
  const { status } = spawnSync(join(root, 'node_modules/.bin', tool), args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

run('tsc', '-b', 'tsconfig.build.json');
const upToDate =
  existsSync(built) && inputs.every((path) => newest(join(root, path)) < statSync(built).mtimeMs);
if (!(process.argv.includes('--if-needed') && upToDate)) {
  run('vite', 'build', '--config', 'packages/dashboard/vite.config.ts', '--logLevel', 'warn');
}
