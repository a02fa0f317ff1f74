import { parseArgs } from 'node:util';
import { numberOption, progress } from '../chaos/cli.ts';
import { runSoak } from './run.ts';

/**
 * `npm run soak -- --minutes 30 --records 100000 --lines 200000 --seed 1`: fails with exit code 1 when a record is not
 * accounted for, a partition has not caught up, or /healthz was slow. Progress goes to stderr, the JSON report to stdout.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    records: { type: 'string', default: '100000' },
    lines: { type: 'string', default: '200000' },
    seed: { type: 'string', default: '1' },
  },
});

const numberOf = (name: keyof typeof values): number => numberOption(name, values[name]);

const report = await runSoak({
  minutes: numberOf('minutes'),
  records: numberOf('records'),
  lines: numberOf('lines'),
  seed: numberOf('seed'),
  log: progress(),
});
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
process.exit(report.failures.length === 0 ? 0 : 1);
