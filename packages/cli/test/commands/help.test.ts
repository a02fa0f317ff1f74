import type { Command } from 'commander';
import { CommanderError } from 'commander';
import { describe, expect, it } from 'vitest';
import { commands as loaders } from '../../src/commands/commands.ts';
import { configCommand } from '../../src/commands/config.ts';
import { doctorCommand } from '../../src/commands/doctor.ts';
import { gatewayCommand } from '../../src/commands/gateway.ts';
import { produceCommand } from '../../src/commands/produce.ts';
import { replayCommand } from '../../src/commands/replay.ts';
import { scanCommand } from '../../src/commands/scan.ts';
import { serverCommand } from '../../src/commands/server.ts';
import { startCommand } from '../../src/commands/start.ts';
import { type CommandName, examples } from '../../src/commands/summaries.ts';
import { topicsCommand } from '../../src/commands/topics.ts';
import { workerCommand } from '../../src/commands/worker.ts';

/** Output and exit code of a command. */
async function parsed(
  command: Command,
  args: string[],
): Promise<{ out: string; err: string; error: unknown }> {
  let out = '';
  let err = '';
  command.exitOverride().configureOutput({
    writeOut: (text) => {
      out += text;
    },
    writeErr: (text) => {
      err += text;
    },
  });
  const error: unknown = await command.parseAsync(args, { from: 'user' }).catch((fault: unknown) => fault);
  return { out, err, error };
}

const commands: [name: string, create: () => Command, flags: string[]][] = [
  ['start', startCommand, ['--port', '--data-dir', '--no-samples', '--brokers', '--upstream']],
  ['worker', workerCommand, ['--brokers', '--config', '--group', '--port']],
  ['server', serverCommand, ['--brokers', '--port', '--data-dir']],
  ['gateway', gatewayCommand, ['--upstream', '--port', '--data-dir', '--brokers', '--config', '--preset']],
  ['scan', scanCommand, ['--since', '--json', '--html', '--open', '--format', '--preset', '--set']],
  ['replay', replayCommand, ['--json', '--format', '--preset', '--set']],
  ['produce', produceCommand, ['--speed', '--rate', '--brokers']],
  ['topics', topicsCommand, ['--brokers', '--partitions', '--check']],
  ['config', configCommand, ['--check', '--json']],
  ['doctor', doctorCommand, ['--brokers']],
];

describe.each(commands)('loopwatch %s', (name, create, flags) => {
  it(`${name} --help: describes the command and lists its flags`, async () => {
    const { out, err, error } = await parsed(create(), ['--help']);
    expect(error).toBeInstanceOf(CommanderError);
    expect(error).toHaveProperty('exitCode', 0);
    expect(err).toBe('');
    const [usage, empty, description] = out.split('\n');
    expect(usage).toMatch(new RegExp(`^Usage: ${name} \\[options\\]`));
    expect(empty).toBe('');
    expect(description).toMatch(/\w+/);
    for (const flag of [...flags, '--config', '--set', '--help']) expect(out).toContain(`${flag} `);
  });

  it(`${name}: rejects an unknown flag`, async () => {
    const { out, err, error } = await parsed(create(), ['a-file', '--prot=1']);
    expect(error).toBeInstanceOf(CommanderError);
    expect(out).toBe('');
    expect(err).toMatch(/unknown option '--prot=1'/);
  });
});

it.each(
  Object.entries(examples).flatMap(([name, lines]) =>
    lines.map((line) => ({ name: name as CommandName, line })),
  ),
)('--help: its example "$line" is understood', async ({ name, line }) => {
  const command = await loaders[name]();
  const { out } = await parsed(command, ['--help']);
  expect(out).toContain(`  loopwatch ${line}\n`);
  const [, ...args] = line.split(' ');
  const subcommand = command.commands.find((it) => it.name() === args[0]);
  const { unknown } = (subcommand ?? command).parseOptions(subcommand === undefined ? args : args.slice(1));
  expect(unknown.filter((part) => part.startsWith('-') && part !== '-')).toEqual([]);
});

it('replay --help: explains the exit status', async () => {
  const { out } = await parsed(replayCommand(), ['--help']);
  expect(out).toMatch(/Exit status: 0 .*3 .*2 /);
});

it.each([
  ['--speed', '-1'],
  ['--speed', 'fast'],
  ['--rate', 'Infinity'],
])('produce: rejects %s %s', async (flag, value) => {
  const { err, error } = await parsed(produceCommand(), ['file', flag, value]);
  expect(error).toBeInstanceOf(CommanderError);
  expect(err).toContain('Expected a number, 0 or more.');
});
