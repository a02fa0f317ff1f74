// `npm run eval -- EVENTS LABELS`: how well the presets find the loops that people have labelled.
import { main } from './main.ts';

process.exitCode = await main(
  process.argv.slice(2),
  (text) => process.stdout.write(text),
  (text) => process.stderr.write(text),
);
