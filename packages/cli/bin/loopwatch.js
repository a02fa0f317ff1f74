#!/usr/bin/env node
import { existsSync } from 'node:fs';

// The bundle starts faster. It is missing if only the compiler has run.
const mains = ['bundle/main.js', 'main.js'].map((file) => new URL(`../dist/${file}`, import.meta.url));
const main = mains.find((url) => existsSync(url));
if (main !== undefined) {
  await import(main.href);
} else {
  console.error('Loopwatch is not built yet: run `npm run build`');
  process.exitCode = 2;
}
