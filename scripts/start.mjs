// What `npm start` runs, in place of its shell (`exec`): builds what is out of date, then becomes `loopwatch start`. npm sends
// signals to the shell alone, which would keep them to itself.
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
