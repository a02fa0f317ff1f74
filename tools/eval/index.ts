// `npm run eval`: measures how well the presets find labelled loops.
import { main } from './main.ts';

const PROGRESS_EVERY_MS = 250;
const inTerminal = process.stderr.isTTY;
let shownAt = 0;

function progress(text: () => string): void {
  const now = performance.now();
  if (!inTerminal || now - shownAt < PROGRESS_EVERY_MS) return;
  shownAt = now;
  process.stderr.write(`\r\u001b[K${text()}`);
}

function write(stream: NodeJS.WriteStream, text: string): void {
  if (inTerminal && shownAt > 0) process.stderr.write('\r\u001b[K');
  stream.write(text);
}

process.exitCode = await main(process.argv.slice(2), {
  print: (text) => write(process.stdout, text),
  printError: (text) => write(process.stderr, text),
  progress,
  environment: process.env,
});
