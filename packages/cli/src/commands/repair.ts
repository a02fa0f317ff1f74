import { resolve } from 'node:path';
import { type RepairPlan, repairEmbeddedLog } from '@loopwatch/log';
import { Command } from 'commander';
import { loadConfig } from '../config/load-config.ts';
import { addConfigOptions, type ConfigOptions } from '../config/options.ts';
import { tellWarnings } from '../runtime/output.ts';

interface Options extends ConfigOptions {
  readonly dataDir?: string;
  readonly yes?: boolean;
}

/** `loopwatch repair`: what is damaged in the embedded log, and how to go on without it. */
export function repairCommand(): Command {
  const command = new Command('repair')
    .description('says what is damaged in the embedded log; with --yes it moves the damage aside')
    .option('--data-dir <dir>', 'folder of the embedded log (default: .loopwatch)')
    .option('--yes', 'repair it; without, change nothing and exit 1 when something is damaged');
  return addConfigOptions(command).action(async (options: Options) => {
    const { settings, warnings } = loadConfig(options, [
      { flag: '--data-dir', path: 'storage.data_dir', text: options.dataDir },
    ]);
    tellWarnings(warnings);
    const apply = options.yes === true;
    const stamp = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
    const plan = await repairEmbeddedLog(resolve(settings.storage.data_dir), { apply, stamp });
    process.stdout.write(`${reportLines(plan, apply).join('\n')}\n`);
    process.exitCode = isSound(plan) || apply ? 0 : 1;
  });
}

function isSound({ topics, journals }: RepairPlan): boolean {
  return topics.length === 0 && journals.length === 0;
}

function reportLines(plan: RepairPlan, isDone: boolean): string[] {
  const { folder, topics, journals, aside } = plan;
  if (isSound(plan)) return [`Nothing is damaged in ${folder}.`];
  const lines = topics.flatMap(({ topic, files, lost, readable }) => [
    ...files.map(({ path, damagedBytes }) => `damaged  ${path}: ${damagedBytes} bytes cannot be read`),
    ...lost.map(
      ({ range: { from, to }, isAtMost }) =>
        `lost     ${topic} partition 0: ${offsetsText(from, to)}${isAtMost ? ' at most' : ''}`,
    ),
    `kept     ${topic} partition 0: ${readable} records, at the offsets they have`,
  ]);
  for (const { path, line, damagedBytes, group, positions } of journals) {
    lines.push(`damaged  ${path}: from line ${line} on, ${damagedBytes} bytes`);
    for (const [topic, { from, reached }] of positions) {
      lines.push(
        `back     group ${group} goes on at offset ${from} of ${topic}, having reached ${reached}; verdicts it finds again have the ids they had`,
      );
    }
  }
  const what = isDone
    ? `Repaired. The damaged files, as they were, are in ${aside}`
    : `Nothing was changed. With --yes the damaged files are copied to ${aside}, and Loopwatch goes on without what is lost.`;
  return [...lines, '', what];
}

function offsetsText(from: number, to: number): string {
  return to - from === 1 ? `offset ${from}, 1 record` : `offsets ${from} to ${to - 1}, ${to - from} records`;
}
