import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { choiceOption, numberOption, progress } from './cli.ts';
import { isSound, reportText } from './report.ts';
import { runChaos } from './run.ts';

/**
 * `npm run chaos -- --minutes 5 --faults 100 --kills 40 --seed 1 --rate 300 --internal-min-isr 2 --delivery exactly_once
 * --names some`: fails with exit code 1 when a verdict is missing, duplicate or different, or work stood still
 * for too long. Progress goes to stderr, a summary to stdout, and the full report to `report.json` in `--logs`, by default
 * `.cache/chaos`.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    faults: { type: 'string', default: '0' },
    kills: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
    rate: { type: 'string', default: '300' },
    'internal-min-isr': { type: 'string', default: '2' },
    delivery: { type: 'string', default: 'exactly_once' },
    names: { type: 'string', default: 'some' },
    logs: { type: 'string', default: fileURLToPath(new URL('../../.cache/chaos', import.meta.url)) },
  },
});

const numberOf = (name: keyof typeof values): number => numberOption(name, values[name]);

const internalMinIsr =
  choiceOption('internal-min-isr', values['internal-min-isr'], ['1', '2']) === '1' ? 1 : 2;
const { logs } = values;
const seed = numberOf('seed');
const report = await runChaos({
  minutes: numberOf('minutes'),
  faults: numberOf('faults'),
  kills: numberOf('kills'),
  delivery: choiceOption('delivery', values.delivery, ['exactly_once', 'at_least_once']),
  names: choiceOption('names', values.names, ['all', 'some', 'none']),
  rate: numberOf('rate'),
  seed,
  logs,
  internalMinIsr,
  log: progress(),
});
await mkdir(logs, { recursive: true });
await writeFile(`${logs}/report.json`, JSON.stringify({ seed, internalMinIsr, ...report }, undefined, 2));
process.stdout.write(reportText(seed, report));
process.exitCode = isSound(report) ? 0 : 1;
