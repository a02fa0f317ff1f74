import type { Command } from 'commander';

/** Options of a command from `--config` and `--set`. */
export interface ConfigOptions {
  readonly config?: string;
  readonly set?: readonly string[];
}

/** Adds the flags that choose settings; every command that reads the configuration has them. */
export function addConfigOptions(command: Command): Command {
  return command
    .option('--config <file>', 'YAML file with settings (default: LOOPWATCH_CONFIG)')
    .option(
      '--set <path=value>',
      'one setting by its dotted path, above file and environment; may be repeated',
      (assignment: string, before: readonly string[] | undefined) => [...(before ?? []), assignment],
    );
}
