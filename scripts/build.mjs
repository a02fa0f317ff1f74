// Builds every package with TypeScript 7 (incremental; the linter still needs the API of 6), the empty database that new
// data folders get, the dashboard with vite, and the command as a bundle.
// `--if-needed` skips what is up to date. `--pack` also packs the packages that are published, and
// checks them.
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';

const root = join(import.meta.dirname, '..');
const isOptional = process.argv.includes('--if-needed');
const packages = readdirSync(join(root, 'packages'));
const steps = [
  {
    what: 'the packages',
    built: 'packages/cli/dist/main.js',
    inputs: [
      ...['package-lock.json', 'tsconfig.base.json', 'tsconfig.build.json'],
      ...packages.flatMap((name) => [`packages/${name}/src`, `packages/${name}/tsconfig.json`]),
    ],
    command: ['node', 'node_modules/typescript-7/bin/tsc', '-b', 'tsconfig.build.json'],
  },
  {
    what: 'the empty database',
    built: 'packages/storage/dist/pglite-template.tar.gz',
    inputs: [
      'package-lock.json',
      'packages/storage/src/pglite-thread.js',
      'packages/storage/src/pglite-template.ts',
      'packages/storage/migrations',
    ],
    command: ['node', 'scripts/make-database-template.mjs'],
  },
  {
    what: 'the dashboard',
    built: 'packages/dashboard/dist/index.html',
    inputs: [
      ...['package-lock.json', 'packages/dashboard/vite.config.ts'],
      'packages/dashboard/circular-chunks.ts',
      ...['packages/dashboard/index.html', 'packages/dashboard/login.html'],
      ...[
        'packages/dashboard/public',
        'packages/dashboard/src',
        'packages/contract/src',
        'packages/detectors/src',
      ],
    ],
    command: ['vite', 'build', '--config', 'packages/dashboard/vite.config.ts', '--logLevel', 'warn'],
  },
  {
    what: 'the command',
    built: 'dist/loopwatch/package.json',
    inputs: [
      ...['package-lock.json', 'scripts/pack', 'packages/storage/migrations'],
      ...packages.flatMap((name) => [`packages/${name}/src`, `packages/${name}/package.json`]),
    ],
    command: ['node', 'scripts/pack/command.mjs'],
  },
  ...(process.argv.includes('--pack') ? [pack()] : []),
];

function pack() {
  const contents = ['src', 'package.json', 'README.md', 'bin', 'migrations', 'public'];
  return {
    what: 'the published packages',
    built: '.cache/packages/cli/package.json',
    inputs: [
      ...['package-lock.json', 'LICENSE', 'NOTICE', 'CHANGELOG.md', 'samples', 'scripts/pack'],
      ...packages.flatMap((name) => contents.map((path) => `packages/${name}/${path}`)),
    ],
    command: ['node', 'scripts/pack/index.mjs'],
  };
}

function newest(path) {
  if (!existsSync(path)) return 0;
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}

/** Writes a .br and a .gz beside each text file that browsers load, at maximum compression, for the server to send. */
function compressAssets(folder) {
  for (const name of readdirSync(folder)) {
    if (!/\.(?:js|css|svg)$/.test(name)) continue;
    const path = join(folder, name);
    const bytes = readFileSync(path);
    writeFileSync(`${path}.br`, brotliCompressSync(bytes));
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
  }
}

const stamps = join(root, '.cache/build');
mkdirSync(stamps, { recursive: true });
for (const { what, built, inputs, command } of steps) {
  // The compiler does not rewrite unchanged outputs, so their modification times say nothing.
  const stamp = join(stamps, what.replaceAll(' ', '-'));
  const began = Date.now();
  const isCurrent =
    existsSync(join(root, built)) &&
    existsSync(stamp) &&
    inputs.every((path) => newest(join(root, path)) < statSync(stamp).mtimeMs);
  if (isOptional && isCurrent) continue;
  console.error(`Building ${what} …`);
  const [tool, ...args] = command;
  const program = tool === 'node' ? process.execPath : join(root, 'node_modules/.bin', tool);
  const { status } = spawnSync(program, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
  if (tool === 'vite') compressAssets(join(root, 'packages/dashboard/dist/assets'));
  // Files changed during the build are newer.
  writeFileSync(stamp, '');
  utimesSync(stamp, new Date(began), new Date(began));
  console.error(`Built ${what} in ${((Date.now() - began) / 1000).toFixed(1)} s`);
}
