import { Command, CommanderError } from 'commander';
import { commands } from './commands/commands.ts';
import { type CommandName, describedCommand, summaries } from './commands/summaries.ts';
import { UsageError } from './errors.ts';
import { version } from './runtime/installation.ts';
import { exitOnLostOutput, print, writeError } from './runtime/output.ts';

const program = new Command('loopwatch')
  .description("Watches agents' event streams and catches loops while they happen.")
  .version(version)
  .showHelpAfterError('(run with --help for usage)')
  .configureHelp({ subcommandTerm: (command) => command.name() });
const [first, second] = process.argv.slice(2);
const requested = first === 'help' ? second : first;
for (const name of Object.keys(summaries) as CommandName[]) {
  program.addCommand(name === requested ? await commands[name]() : describedCommand(name));
}
prepare(program);

exitOnLostOutput();
try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = await exitCodeOf(error);
}

/** Errors, which quote arguments, are printed as such and end up in the exit status below. Commands inherit neither. */
function prepare(command: Command): void {
  command.exitOverride().configureOutput({ writeOut: print, writeErr: writeError });
  for (const one of command.commands) prepare(one);
}

/** Prints an error that commander has not printed. @returns the exit status: 2 for a usage error, 1 for a failure */
async function exitCodeOf(error: unknown): Promise<number> {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof UsageError) {
    writeError(`${error.message}\n`);
    return error.exitCode;
  }
  const [{ LogError }, { FolderError }, { DatabaseUnavailable }, { ServerError }] = await Promise.all([
    import('@loopwatch/log'),
    import('@loopwatch/platform'),
    import('@loopwatch/storage'),
    import('./server/api-client.ts'),
  ]);
  const isExplained = [ServerError, LogError, FolderError, DatabaseUnavailable].some(
    (known) => error instanceof known,
  );
  if (error instanceof Error && isExplained) {
    writeError(`${error.message}\n`);
    return 1;
  }
  writeError(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return 1;
}
