import { Command, CommanderError } from 'commander';
import { type CommandName, describedCommand, summaries } from './commands/summaries.ts';
import { UsageError } from './errors.ts';
import { version } from './runtime/installation.ts';
import { exitOnBrokenPipe, writeError } from './runtime/output.ts';

const program = new Command('loopwatch')
  .description("Watches agents' event streams and catches loops while they happen.")
  .version(version)
  .showHelpAfterError('(run with --help for usage)')
  .configureHelp({ subcommandTerm: (command) => command.name() })
  .exitOverride();
/** Only the requested command is loaded: loading all of them takes longer than most commands run. */
const commands: Readonly<Record<CommandName, () => Promise<Command>>> = {
  start: async () => (await import('./commands/start.ts')).startCommand(),
  worker: async () => (await import('./commands/worker.ts')).workerCommand(),
  server: async () => (await import('./commands/server.ts')).serverCommand(),
  gateway: async () => (await import('./commands/gateway.ts')).gatewayCommand(),
  scan: async () => (await import('./commands/scan.ts')).scanCommand(),
  hook: async () => (await import('./commands/hook.ts')).hookCommand(),
  replay: async () => (await import('./commands/replay.ts')).replayCommand(),
  produce: async () => (await import('./commands/produce.ts')).produceCommand(),
  topics: async () => (await import('./commands/topics.ts')).topicsCommand(),
  notify: async () => (await import('./commands/notify.ts')).notifyCommand(),
  mcp: async () => (await import('./commands/mcp.ts')).mcpCommand(),
  tokens: async () => (await import('./commands/tokens.ts')).tokensCommand(),
  erase: async () => (await import('./commands/erase.ts')).eraseCommand(),
  repair: async () => (await import('./commands/repair.ts')).repairCommand(),
  config: async () => (await import('./commands/config.ts')).configCommand(),
  doctor: async () => (await import('./commands/doctor.ts')).doctorCommand(),
};

const [first, second] = process.argv.slice(2);
const requested = first === 'help' ? second : first;
for (const name of Object.keys(summaries) as CommandName[]) {
  const command = name === requested ? await commands[name]() : describedCommand(name);
  program.addCommand(command.exitOverride());
}

exitOnBrokenPipe();
try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = await exitCodeOf(error);
}

/** Prints an error that commander has not printed. @returns the exit status: 2 for a usage error, 1 for a failure */
async function exitCodeOf(error: unknown): Promise<number> {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof UsageError) {
    writeError(`${error.message}\n`);
    return error.exitCode;
  }
  const [{ LogError }, { FolderError }] = await Promise.all([
    import('@loopwatch/log'),
    import('@loopwatch/platform'),
  ]);
  const { ServerError } = await import('./server/api-client.ts');
  if (error instanceof ServerError || error instanceof LogError || error instanceof FolderError) {
    writeError(`${error.message}\n`);
    return 1;
  }
  writeError(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return 1;
}
