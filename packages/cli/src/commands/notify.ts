import { sendTest } from '@loopwatch/server';
import { Command } from 'commander';
import { loadConfig } from '../config/load-config.ts';
import { addConfigOptions, type ConfigOptions } from '../config/options.ts';
import { UsageError } from '../errors.ts';
import { print, printWarnings, writeError } from '../runtime/output.ts';
import { notificationChannels } from '../server/notification-channels.ts';
import { describedCommand } from './summaries.ts';

/** `loopwatch notify test NAME`: sends a test message as configured; needs no running server. */
export function notifyCommand(): Command {
  const command = describedCommand('notify');
  const test = new Command('test')
    .description('sends a test message; exit 1 if it is not delivered')
    .argument('<name>', 'name of the receiver in the configuration');
  return command.addCommand(addConfigOptions(test).action(sendTestMessage));
}

async function sendTestMessage(name: string, options: ConfigOptions): Promise<void> {
  const { settings, warnings } = loadConfig(options);
  printWarnings(warnings);
  const names = settings.notifications.map((entry) => entry.name);
  const entry = settings.notifications.filter((one) => one.name === name);
  const [channel] = notificationChannels({ notifications: entry });
  if (channel === undefined) {
    const known = names.length === 0 ? 'none is configured' : `configured: ${names.join(', ')}`;
    throw new UsageError(`No receiver is named ${name}; ${known}`);
  }
  const { port, public_url: base = `http://localhost:${String(port)}` } = settings.server;
  const signal = new AbortController().signal;
  const result = await sendTest(channel, { baseUrl: base.replace(/\/$/, ''), now: Date.now(), signal });
  if (result.outcome === 'sent') {
    print(`${name}: delivered\n`);
    return;
  }
  writeError(`${name}: not delivered: ${result.reason}\n`);
  process.exitCode = 1;
}
