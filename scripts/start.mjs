// `npm start`: builds what is out of date, then becomes `loopwatch start`. It replaces npm's shell (`exec`), because npm sends
// signals only to the shell, which would not forward them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '..');
const build = spawn(process.execPath, [join(root, 'scripts/build.mjs'), '--if-needed'], { stdio: 'inherit' });
const stop = (signal) => {
  build.kill(signal);
  process.exit(0);
};
process.once('SIGTERM', stop);
process.once('SIGINT', stop);
const [code] = await once(build, 'exit');
process.off('SIGTERM', stop);
process.off('SIGINT', stop);
if (code === 0) {
  const bin = join(root, 'packages/cli/bin/loopwatch.js');
  process.argv.splice(1, 1, bin, 'start');
  await import(pathToFileURL(bin).href);
} else process.exitCode = code ?? 1;
