import { planDetection } from '@loopwatch/detectors/internal';
import { modelClient } from '@loopwatch/worker';
import type { Command } from 'commander';
import { type EffectiveValue, effectiveValues } from '../config/effective-values.ts';
import { type LoadedConfig, loadConfig } from '../config/load-config.ts';
import { addConfigOptions, type ConfigOptions } from '../config/options.ts';
import { unreadableValues } from '../config/unreadable-values.ts';
import { UsageError } from '../errors.ts';
import { printableJson, tableLines } from '../runtime/output.ts';
import { describedCommand } from './summaries.ts';

interface Options extends ConfigOptions {
  readonly check?: boolean;
  readonly json?: boolean;
}

/** `loopwatch config`: the effective configuration and the origin of each value. */
export function configCommand(): Command {
  const command = describedCommand('config')
    .option(
      '--check',
      'only check the configuration; exit 2 if it is invalid, names a variable or file that cannot be read, or a variable is unknown',
    )
    .option('--json', 'print JSON');
  return addConfigOptions(command).action((options: Options) => {
    const config = loadOrExit(command, options);
    const output = command.configureOutput();
    const faults = options.check === true ? [...config.warnings, ...unreadableValues(config.settings)] : [];
    if (faults.length > 0) fail(command, faults.join('\n'));
    for (const warning of config.warnings) output.writeErr?.(`warning: ${warning}\n`);
    if (options.check === true) output.writeOut?.('configuration is valid\n');
    else output.writeOut?.(options.json === true ? asJson(config) : asTable(config));
  });
}

function loadOrExit(command: Command, options: Options): LoadedConfig {
  try {
    return loadConfig(options);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return fail(command, error.message);
  }
}

function fail(command: Command, message: string): never {
  return command.error(message, { exitCode: 2, code: 'loopwatch.configuration' });
}

function asJson(config: LoadedConfig): string {
  const { configHash } = planDetection(config.settings, modelClient(config.settings.llm) !== undefined);
  const { warnings } = config;
  return `${printableJson({ configHash, values: effectiveValues(config), warnings }, 2)}\n`;
}

function asTable(config: LoadedConfig): string {
  const { configHash, preset } = planDetection(
    config.settings,
    modelClient(config.settings.llm) !== undefined,
  );
  const rows = [
    ['setting', 'value', 'from'],
    ...effectiveValues(config).map((row) => [row.path, valueText(row.value), originText(row)]),
  ];
  return `preset ${preset}, configuration ${configHash}\n\n${tableLines(rows).join('\n')}\n`;
}

function valueText(value: unknown): string {
  if (value === null) return '-';
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
}

function originText({ source, name }: EffectiveValue): string {
  return name === undefined ? source : `${source} ${name}`;
}
