import { LogError } from '@loopwatch/log';
import { Command, CommanderError } from 'commander';
import { configCommand } from './commands/config.ts';
import { doctorCommand } from './commands/doctor.ts';
import { gatewayCommand } from './commands/gateway.ts';
import { produceCommand } from './commands/produce.ts';
import { repairCommand } from './commands/repair.ts';
import { replayCommand } from './commands/replay.ts';
import { scanCommand } from './commands/scan.ts';
import { serverCommand } from './commands/server.ts';
import { startCommand } from './commands/start.ts';
import { topicsCommand } from './commands/topics.ts';
import { workerCommand } from './commands/worker.ts';
import { UsageError } from './errors.ts';
import { endQuietlyWithReader } from './runtime/output.ts';
import { version } from './runtime/version.ts';

const program = new Command('loopwatch')
  .description("Watches agents' event streams and catches loops while they happen.")
  .version(version)
  .showHelpAfterError('(--help lists what there is)')
  .exitOverride();
for (const command of [
  startCommand(),
  workerCommand(),
  serverCommand(),
  gatewayCommand(),
  repairCommand(),
  scanCommand(),
  replayCommand(),
  produceCommand(),
  topicsCommand(),
  configCommand(),
  doctorCommand(),
]) {
  program.addCommand(command.exitOverride());
}

endQuietlyWithReader();
try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
}

/** Says what went wrong, where that has not been said, and finds the exit status: 2 for a wrong use, 1 for a failure. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof UsageError || error instanceof LogError) {
    process.stderr.write(`${error.message}\n`);
    return error instanceof UsageError ? error.exitCode : 1;
  }
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return 1;
}
