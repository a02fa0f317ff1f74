import type { Command } from 'commander';
import type { CommandName } from './summaries.ts';

/** Only the requested command is loaded: loading all of them takes longer than most commands run. */
export const commands: Readonly<Record<CommandName, () => Promise<Command>>> = {
  start: async () => (await import('./start.ts')).startCommand(),
  worker: async () => (await import('./worker.ts')).workerCommand(),
  server: async () => (await import('./server.ts')).serverCommand(),
  gateway: async () => (await import('./gateway.ts')).gatewayCommand(),
  scan: async () => (await import('./scan.ts')).scanCommand(),
  hook: async () => (await import('./hook.ts')).hookCommand(),
  replay: async () => (await import('./replay.ts')).replayCommand(),
  produce: async () => (await import('./produce.ts')).produceCommand(),
  topics: async () => (await import('./topics.ts')).topicsCommand(),
  notify: async () => (await import('./notify.ts')).notifyCommand(),
  mcp: async () => (await import('./mcp.ts')).mcpCommand(),
  tokens: async () => (await import('./tokens.ts')).tokensCommand(),
  erase: async () => (await import('./erase.ts')).eraseCommand(),
  repair: async () => (await import('./repair.ts')).repairCommand(),
  config: async () => (await import('./config.ts')).configCommand(),
  doctor: async () => (await import('./doctor.ts')).doctorCommand(),
};
