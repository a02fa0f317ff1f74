// Bundles the command with everything but native code.
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { external, root } from './published.mjs';

/** Code of CommonJS packages in the bundle loads Node's modules with it. */
const banner = `import { createRequire as createRequireOfBundle } from 'node:module';
const require = createRequireOfBundle(import.meta.url);`;

/** PGlite looks for these beside its code. The rest of its package is extensions, source maps and CommonJS: 11 MB. */
const database = ['pglite.wasm', 'pglite.data', 'initdb.wasm', 'pg_trgm.tar.gz'];

/** The code of an extension looks for its file in the folder above, where the package has it. */
const extensionsBesideCode = {
  name: 'extensions-beside-code',
  setup(build) {
    build.onLoad({ filter: /pglite[/\\]dist[/\\]contrib[/\\]\w+\.js$/ }, ({ path }) => {
      const code = readFileSync(path, 'utf8');
      const contents = code.replace(/"\.\.\/(\w+\.tar\.gz)"/, '"./$1"');
      if (contents === code) throw new Error(`${path} names no extension file`);
      return { contents, loader: 'js' };
    });
  },
};

export async function bundleCommand(outdir) {
  await build({
    absWorkingDir: root,
    // Threads are loaded by their path, beside the file that starts them.
    entryPoints: [
      'packages/cli/src/main.ts',
      'packages/storage/src/pglite-thread.js',
      'packages/log/src/embedded/check-thread.js',
    ].map((path) => ({
      in: path,
      out: /([^/]+)\.[jt]s$/.exec(path)[1],
    })),
    outdir,
    bundle: true,
    // A file for each command: `--version` does not load the server.
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    conditions: ['@loopwatch/source'],
    external,
    // The version that Node would choose loads its parts in a way that cannot be bundled.
    alias: { 'jsonc-parser': join(root, 'node_modules/jsonc-parser/lib/esm/main.js') },
    plugins: [extensionsBesideCode],
    banner: { js: banner },
    legalComments: 'none',
    // Not minified, so that stack traces name functions: source maps would double the size.
    logLevel: 'warning',
  });
  for (const file of database)
    copyFileSync(join(root, 'node_modules/@electric-sql/pglite/dist', file), join(outdir, file));
}
