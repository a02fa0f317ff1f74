import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig } from 'vite';
import { refuseCircularChunks } from './circular-chunks.ts';
import { subsetFonts } from './subset-fonts.ts';

const server = 'http://localhost:4600';

/** '' where the sources are not under version control, as in an image. */
function commit(): string {
  try {
    const told = process.env['LOOPWATCH_COMMIT'];
    return (
      told ??
      execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8', stdio: 'pipe' }).trim()
    );
  } catch {
    return '';
  }
}

export default defineConfig({
  root: import.meta.dirname,
  plugins: [tailwind(), react(), subsetFonts(), refuseCircularChunks()],
  define: { 'import.meta.env.VITE_COMMIT': JSON.stringify(commit()) },
  resolve: { conditions: ['@loopwatch/source', ...defaultClientConditions] },
  // Nothing is inlined: the content security policy allows no `data:` but images.
  build: {
    target: 'es2023',
    sourcemap: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // .size-limit.mjs limits what counts, the compressed size.
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      // A schema that nothing in a chunk parses with is left out of it; what has an effect is not called by way of `z`.
      treeshake: { manualPureFunctions: ['z'] },
      checks: { bundlerTimings: false },
      input: ['index.html', 'login.html'].map((page) => join(import.meta.dirname, page)),
      // The one style that is served without a login has an address of its own.
      output: {
        assetFileNames: ({ names }) =>
          names.includes('login.css') ? 'login.css' : 'assets/[name]-[hash][extname]',
        chunkFileNames: ({ name }) => `assets/${name.split('~')[0] ?? ''}-[hash].js`,
        // Few requests: what every visit loads, what several pages share, and the rest of each page. Merging larger
        // chunks made them circular.
        codeSplitting: {
          groups: [
            { name: 'first', tags: ['$initial'], test: /^(?!.*[\\/]login\.(?:css|html))/ },
            { name: 'shared', minShareCount: 2, entriesAware: true, entriesAwareMergeThreshold: 10_000 },
          ],
        },
      },
    },
  },
  worker: { format: 'es' },
  server: {
    proxy: {
      '/api': server,
      '/metrics': server,
      '/socket.io': { target: server, ws: true },
    },
  },
});
