import { existsSync, readFileSync } from 'node:fs';
import { build } from 'esbuild';

const dashboard = 'packages/dashboard/dist';
const library = 'packages/detectors/dist/index.js';
const guard = 'packages/guard/dist/index.js';
for (const built of [`${dashboard}/index.html`, library, guard]) {
  if (!existsSync(built)) throw new Error(`${built} is not built yet: run \`npm run build\``);
}

// What the page loads before anything is drawn, the overview included. e2e/first-load.spec.ts limits all of a first visit.
const html = readFileSync(`${dashboard}/index.html`, 'utf8');
const first = [...html.matchAll(/(?:src|href)="\/?([^"]+\.js)"/g)].map((match) => `${dashboard}/${match[1]}`);
if (first.length === 0) throw new Error(`${dashboard}/index.html loads no script`);

/** What a page carries that imports these names, without the dependencies that it may well have already. */
async function bundled(entry, names, external) {
  const outfile = `.cache/size/${[...names, 'without', ...external].join('-').replaceAll(/[^\w-]/g, '')}.js`;
  await build({
    stdin: { contents: `export { ${names.join(', ')} } from './${entry}';`, resolveDir: '.' },
    outfile,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: entry === guard ? 'node' : 'browser',
    external,
  });
  return { path: outfile, gzip: true };
}

export default [
  { name: 'dashboard, first bundle', path: first, brotli: true, limit: '165 kB' },
  {
    name: 'library',
    ...(await bundled(library, ['createSessionAnalyzer'], [])),
    limit: '100 kB',
  },
  {
    name: 'library with the semantic layer',
    ...(await bundled(library, ['createSessionAnalyzer', 'semanticLayer', 'parseJudgeAnswer'], [])),
    limit: '104.2 kB',
  },
  {
    name: 'guard, without detectors',
    ...(await bundled(guard, ['createGuard'], ['@loopwatch/*'])),
    limit: '5.7 kB',
  },
];
