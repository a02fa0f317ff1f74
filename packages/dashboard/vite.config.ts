import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  resolve: { conditions: ['@loopwatch/source', ...defaultClientConditions] },
  build: { target: 'es2023', sourcemap: true },
});
