import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig } from 'vite';

const server = 'http://localhost:4600';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  resolve: { conditions: ['@loopwatch/source', ...defaultClientConditions] },
  // Nothing is inlined: the content security policy allows no `data:` but images.
  build: { target: 'es2023', sourcemap: true, assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  server: {
    proxy: {
      '/api': server,
      '/metrics': server,
      '/socket.io': { target: server, ws: true },
    },
  },
});
