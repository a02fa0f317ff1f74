// `npm run dev`: server and worker from their sources, with sample traffic, restarted when a file is saved, and the
// dashboard from Vite, which reloads itself and proxies API requests to the server. Both end together.
import { spawn } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const bin = (name) => join(root, 'node_modules/.bin', name);
// The port that Vite's proxy expects.
const serverPort = '4600';

const commands = [
  [
    bin('tsx'),
    ...['watch', '--clear-screen=false', '--conditions=@loopwatch/source'],
    join(root, 'packages/cli/src/main.ts'),
    ...['start', '--port', serverPort, '--data-dir', join(root, '.cache/dev'), ...process.argv.slice(2)],
  ],
  [bin('vite'), join(root, 'packages/dashboard'), '--clearScreen', 'false', '--strictPort'],
];

const children = commands.map(([command, ...args]) => spawn(command, args, { cwd: root, stdio: 'inherit' }));
let isStopping = false;
const stop = () => {
  // A second signal would make tsx kill the server before it has closed its files.
  if (isStopping) return;
  isStopping = true;
  for (const child of children) child.kill('SIGTERM');
};
process.on('SIGINT', stop);
process.on('SIGTERM', stop);
for (const child of children) {
  child.on('exit', (code) => {
    process.exitCode ??= code ?? 0;
    stop();
  });
}
