import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { choiceOption, numberOption, progress } from '../cli.ts';
import { upgradeInFolder } from './in-folder.ts';
import { upgradeOnKafka } from './on-kafka.ts';
import { isSound, reportText } from './report.ts';
import { versionAt } from './version.ts';

/**
 * `npm run upgrade -- --from <built checkout of an earlier version> --where kafka --delivery exactly_once --names none --rate 200
 * --seed 1 --pause 5 --replay-reach 500`: upgrades to this version, or that in `--to`, under load, downgrades, and upgrades again. Fails with exit code 1
 * when a verdict is missing, duplicate or unexpected.
 */
const { values } = parseArgs({
  options: {
    from: { type: 'string', default: '' },
    to: { type: 'string', default: fileURLToPath(new URL('../../..', import.meta.url)) },
    where: { type: 'string', default: 'kafka' },
    delivery: { type: 'string', default: 'exactly_once' },
    names: { type: 'string', default: 'none' },
    rate: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    pause: { type: 'string', default: '5' },
    'replay-reach': { type: 'string', default: '500' },
    logs: { type: 'string', default: fileURLToPath(new URL('../../../.cache/upgrade', import.meta.url)) },
  },
});

await mkdir(values.logs, { recursive: true });
const upgrade = {
  earlier: versionAt('earlier', values.from),
  present: versionAt('present', values.to),
  seed: numberOption('seed', values.seed),
  rate: numberOption('rate', values.rate),
  delivery: choiceOption('delivery', values.delivery, ['exactly_once', 'at_least_once']),
  names: choiceOption('names', values.names, ['all', 'none']) === 'all',
  replayReach: numberOption('replay-reach', values['replay-reach']),
  pauseMs: numberOption('pause', values.pause) * 1_000,
  log: progress(),
  logs: values.logs,
};
const where = choiceOption('where', values.where, ['kafka', 'folder']);
const report = await (where === 'kafka' ? upgradeOnKafka(upgrade) : upgradeInFolder(upgrade));
process.stdout.write(reportText(report));
process.exitCode = isSound(report, upgrade.delivery) ? 0 : 1;
