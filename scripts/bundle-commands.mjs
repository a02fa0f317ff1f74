// Bundles the commands that end at once (`replay`, `scan`, `config`, `hook`, the help): loading their 330 modules one by one takes
// longer than they run. Commands that run for long, and the packages with threads, native parts and data files, stay as they are.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'packages/cli/dist');
const outdir = join(dist, 'bundle');
const separateCommands = ['start', 'worker', 'server', 'gateway', 'produce', 'topics', 'notify', 'doctor'];
const separatePackages = ['gateway', 'log', 'platform', 'server', 'storage', 'telemetry', 'worker'];

rmSync(outdir, { recursive: true, force: true });
await build({
  entryPoints: [join(dist, 'main.js')],
  outdir,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: true,
  sourcesContent: false,
  legalComments: 'none',
  chunkNames: '[name]-[hash]',
  external: [
    // Errors are compared by class, so both sides must load the same ones.
    join(dist, 'errors.js'),
    // It finds the package's files from its own folder.
    join(dist, 'package-root.js'),
    'commander',
    ...separateCommands.map((name) => join(dist, `commands/${name}.js`)),
    ...separatePackages.map((name) => `@loopwatch/${name}`),
  ],
  alias: {
    // A part of a separate package that replays need and that loads fast.
    '@loopwatch/worker/stream': join(root, 'packages/worker/dist/stream/index.js'),
    // The CommonJS version, which Node would choose, cannot be reduced to the parts that are used.
    rxjs: join(root, 'node_modules/rxjs/dist/esm/index.js'),
    // The version that Node would choose loads its parts in a way that cannot be bundled.
    'jsonc-parser': join(root, 'node_modules/jsonc-parser/lib/esm/main.js'),
  },
  banner: {
    js: "import { createRequire as createCommonJsRequire } from 'node:module'; const require = createCommonJsRequire(import.meta.url);",
  },
  logLevel: 'warning',
});
