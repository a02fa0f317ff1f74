#!/usr/bin/env node
import { existsSync } from 'node:fs';

// In the repository only: the published package has a file of its own here, see scripts/pack/command.mjs.
const main = new URL('../../../dist/loopwatch/dist/main.js', import.meta.url);
if (existsSync(main)) {
  await import(main.href);
} else {
  console.error('Loopwatch is not built yet: run `npm run build`');
  process.exitCode = 2;
}
