import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { numberOption, progress } from './cli.ts';
import { isExact } from './compare.ts';
import { reportText } from './report.ts';
import { runChaos } from './run.ts';

/**
 * `npm run chaos -- --minutes 5 --kills 40 --seed 1 --rate 300 --internal-min-isr 2`: fails with exit code 1 when a verdict
 * is missing, duplicate or different. Progress goes to stderr, a summary to stdout, and the full report to
 * `.cache/chaos/report.json`.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    kills: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
    rate: { type: 'string', default: '300' },
    'internal-min-isr': { type: 'string', default: '2' },
  },
});

const numberOf = (name: keyof typeof values): number => numberOption(name, values[name]);

const internalMinIsr = numberOf('internal-min-isr');
if (internalMinIsr !== 1 && internalMinIsr !== 2) {
  process.stderr.write('--internal-min-isr: 1 or 2 is expected\n');
  process.exit(2);
}

const logs = fileURLToPath(new URL('../../.cache/chaos', import.meta.url));
const seed = numberOf('seed');
const report = await runChaos({
  minutes: numberOf('minutes'),
  kills: numberOf('kills'),
  rate: numberOf('rate'),
  seed,
  logs,
  internalMinIsr,
  log: progress(),
});
await mkdir(logs, { recursive: true });
await writeFile(`${logs}/report.json`, JSON.stringify({ seed, internalMinIsr, ...report }, undefined, 2));
process.stdout.write(reportText(seed, report));
process.exitCode = isExact(report.differences) && report.troubles.length === 0 ? 0 : 1;
