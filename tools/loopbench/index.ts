import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { InputError } from '../eval/input-error.ts';
import { casesOf } from './cases.ts';
import type { Contender } from './contenders/contender.ts';
import { geminiFamily } from './contenders/gemini-family.ts';
import { loopwatch } from './contenders/loopwatch.ts';
import { sameCallInARow } from './contenders/same-call.ts';
import { scoreTable, type Tally } from './score-table.ts';

/**
 * `npm run loopbench [-- --rivals] [-- --data FOLDER] [-- --json]`: what detectors report on labelled sessions. `--rivals`
 * installs other tools' packages into `.cache/loopbench` and runs their own classes. Public runs count if they are in the folder.
 */
const root = join(import.meta.dirname, '../..');
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
try {
  for await (const { set, id, isLoop, events } of casesOf(values.data)) {
    for (const contender of contenders)
      tallies.push({ contender: contender.name, set, id, isLoop, reported: contender.reports(events) });
  }
} catch (error) {
  if (!(error instanceof InputError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(2);
}
process.stdout.write(
  values.json ? tallies.map((one) => `${JSON.stringify(one)}\n`).join('') : scoreTable(contenders, tallies),
);
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
    execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--silent', ...rivals], {
      cwd: folder,
      stdio: ['ignore', 2, 2],
    });
  }
  return [
    await geminiFamily(folder, 'gemini-cli', '@google/gemini-cli-core'),
    await geminiFamily(folder, 'qwen-code', '@qwen-code/qwen-code-core'),
  ];
}
