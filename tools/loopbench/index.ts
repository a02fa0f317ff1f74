import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Case, ownCases } from './cases.ts';
import type { Contender } from './contenders/contender.ts';
import { geminiFamily } from './contenders/gemini-family.ts';
import { loopwatch } from './contenders/loopwatch.ts';
import { sameCallInARow } from './contenders/same-call.ts';
import { publicCases } from './public-cases.ts';
import { fetchCommand } from './public-runs/fetch-command.ts';
import { RunCache } from './public-runs/run-cache.ts';
import { leftOutNote, scoreTable, type Tally } from './score-table.ts';

/**
 * `npm run loopbench [-- --rivals] [-- --data FOLDER] [-- --json]`: what detectors report on labelled sessions. `--rivals`
 * installs other tools' packages into `.cache/loopbench` and runs their own classes. Public runs count if they were fetched or
 * are in the folder. `npm run loopbench -- fetch [--from DIR|URL]` fetches them.
 */
const root = join(import.meta.dirname, '../..');
const cache = new RunCache(join(root, '.cache/loopbench/runs'));
const [command, ...rest] = process.argv.slice(2);
if (command === 'fetch') process.exit(await fetchCommand(rest, cache));
const rivals = ['@google/gemini-cli-core@0.61.0', '@qwen-code/qwen-code-core@0.0.14'];

const { values } = parseArgs({
  options: {
    rivals: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    data: { type: 'string', default: process.env['LOOPWATCH_SHARED_DATA'] || '../shared/data' },
  },
});
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
const contenders: Contender[] = [
  loopwatch('balanced', version),
  loopwatch('stream', version),
  sameCallInARow(4),
  sameCallInARow(5),
  ...(values.rivals ? await installedRivals() : []),
];

const tallies: Tally[] = [];
const score = ({ set, id, isLoop, events }: Case) => {
  for (const contender of contenders)
    tallies.push({ contender: contender.name, set, id, isLoop, reported: contender.reports(events) });
};
for (const one of ownCases()) score(one);
const { cases, leftOut } = publicCases(values.data, cache);
for await (const one of cases) score(one);
const note = leftOutNote(leftOut());
process.stdout.write(
  values.json
    ? tallies.map((one) => `${JSON.stringify(one)}\n`).join('')
    : `${scoreTable(contenders, tallies)}${note}`,
);
if (values.json) process.stderr.write(note);
// The other tools leave timers running.
process.exit(0);

async function installedRivals(): Promise<Contender[]> {
  const folder = join(root, '.cache/loopbench');
  if (!existsSync(join(folder, 'node_modules/.package-lock.json'))) {
    process.stderr.write(
      `Installing ${rivals.join(', ')} into ${folder}; this takes minutes and half a gigabyte\n`,
    );
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
    // The other tools demand a newer Node than they need here.
    const options = [
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
      '--engine-strict=false',
    ];
    execFileSync('npm', ['install', ...options, ...rivals], { cwd: folder, stdio: ['ignore', 2, 2] });
  }
  return [
    await geminiFamily(folder, 'gemini-cli', '@google/gemini-cli-core'),
    await geminiFamily(folder, 'qwen-code', '@qwen-code/qwen-code-core'),
  ];
}
