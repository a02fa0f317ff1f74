import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type RepairedLog, repairEmbeddedLog } from '@loopwatch/log';
import { repairPglite } from '@loopwatch/storage';
import type { Command } from 'commander';
import { loadConfig } from '../config/load-config.ts';
import { addConfigOptions, type ConfigOptions } from '../config/options.ts';
import { UsageError } from '../errors.ts';
import { counted } from '../runtime/counted.ts';
import { onlyInDatabase } from '../runtime/only-in-database.ts';
import { print, printWarnings } from '../runtime/output.ts';
import { describedCommand } from './summaries.ts';

interface Options extends ConfigOptions {
  readonly dataDir?: string;
}

/** `loopwatch repair log|database`: what the message about damage tells users to run. */
export function repairCommand(): Command {
  const command = describedCommand('repair')
    .argument('<part>', 'log: keeps every readable record; database: the next start rebuilds it from the log')
    .option('--data-dir <dir>', 'folder of the embedded log and database (default: .loopwatch)');
  return addConfigOptions(command).action(async (part: string, options: Options) => {
    const { settings, warnings } = loadConfig(options, [
      { flag: '--data-dir', path: 'storage.data_dir', text: options.dataDir },
    ]);
    printWarnings(warnings);
    const dir = resolve(settings.storage.data_dir);
    if (part === 'log') {
      requireFiles(dir, 'log', 'log');
      print(logText(await repairEmbeddedLog(dir)));
    } else if (part === 'database') {
      requireFiles(dir, 'db', 'database');
      print(databaseText(await repairPglite(dir)));
    } else throw new UsageError(`Cannot repair ${part}: use log or database`);
  });
}

/** A mistyped folder stays as it is. @throws UsageError when there is nothing to repair */
function requireFiles(dir: string, folder: string, part: string): void {
  if (!existsSync(dir)) throw new UsageError(`No such data folder: ${dir}`);
  const path = join(dir, folder);
  // Damage may have taken any file: whatever is left can be set aside.
  if (!existsSync(path) || readdirSync(path).length === 0)
    throw new UsageError(`No embedded ${part} in the data folder ${dir}: ${path} is missing or empty`);
}

function logText({ damaged, topics, hasProgress }: RepairedLog): string {
  const lines = topics.map(({ name, records, lost }) => {
    const ranges = lost.map(([from, to]) =>
      to === null ? `all from ${String(from)} on` : `${String(from)} to ${String(to - 1)}`,
    );
    const missing = ranges.length === 0 ? '' : `; lost offsets: ${ranges.join(', ')}`;
    return `${name}: ${counted(records, 'record')}${missing}\n`;
  });
  if (topics.length === 0) lines.push('No record is readable: the next start begins with an empty log.\n');
  if (!hasProgress)
    lines.push(
      'The progress of the analysis is lost: the next start analyzes the log from its first record; verdicts that exist keep their ids.\n',
    );
  return `${lines.join('')}The damaged files are in ${damaged}\n`;
}

function databaseText(damaged: string): string {
  return [
    'The next start rebuilds the database from the log.',
    `What only the database held is lost: ${onlyInDatabase}.`,
    `The damaged files are in ${damaged}\n`,
  ].join('\n');
}
