import { parseArgs } from 'node:util';
import { numberOption, progress } from '../chaos/cli.ts';
import { soakPages } from './pages.ts';
import { runSoak } from './run.ts';

/**
 * `npm run soak -- --minutes 30 --records 100000 --lines 200000 --seed 1`: fails with exit code 1 when a record is not
 * accounted for, a partition has not caught up, or /healthz was slow. `npm run soak -- pages --minutes 10 --verdicts 1000`:
 * fails when a page, a list or the API lacks loops and does not say how far it is behind. Progress goes to stderr, the
 * JSON report to stdout.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: 'string', default: '30' },
    verdicts: { type: 'string', default: '1000' },
    records: { type: 'string', default: '100000' },
    lines: { type: 'string', default: '200000' },
    seed: { type: 'string', default: '1' },
  },
});

const numberOf = (name: keyof typeof values): number => numberOption(name, values[name]);

const minutes = numberOf('minutes');
const log = progress();
const report =
  positionals[0] === 'pages'
    ? await soakPages({
        seconds: minutes * 60,
        verdictsPerSecond: numberOf('verdicts'),
        every: Math.min(60, minutes * 6),
        log,
      })
    : await runSoak({
        minutes,
        records: numberOf('records'),
        lines: numberOf('lines'),
        seed: numberOf('seed'),
        log,
      });
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
process.exit(report.failures.length === 0 ? 0 : 1);
