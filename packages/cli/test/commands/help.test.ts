import type { Command } from 'commander';
import { CommanderError } from 'commander';
import { describe, expect, it } from 'vitest';
import { commands } from '../../src/commands/commands.ts';
import { type CommandName, examples } from '../../src/commands/summaries.ts';

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

const flagsOf: [name: CommandName, flags: string[]][] = [
  ['start', ['--port', '--data-dir', '--no-samples', '--brokers', '--upstream']],
  ['worker', ['--brokers', '--config', '--group', '--port']],
  ['server', ['--brokers', '--port', '--data-dir']],
  ['gateway', ['--upstream', '--port', '--data-dir', '--brokers', '--config', '--preset']],
  ['scan', ['--since', '--json', '--html', '--open', '--format', '--preset', '--set']],
  ['replay', ['--json', '--format', '--preset', '--set']],
  ['produce', ['--speed', '--rate', '--brokers']],
  ['topics', ['--brokers', '--partitions', '--check']],
  ['config', ['--check', '--json']],
  ['doctor', ['--brokers']],
];

describe.each(flagsOf)('loopwatch %s', (name, flags) => {
  it(`${name} --help: describes the command and lists its flags`, async () => {
    const { out, err, error } = await parsed(await commands[name](), ['--help']);
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
    const { out, err, error } = await parsed(await commands[name](), ['a-file', '--prot=1']);
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
  const command = await commands[name]();
  const { out } = await parsed(command, ['--help']);
  expect(out).toContain(`  loopwatch ${line}\n`);
  const [, ...args] = line.split(' ');
  const subcommand = command.commands.find((it) => it.name() === args[0]);
  const { unknown } = (subcommand ?? command).parseOptions(subcommand === undefined ? args : args.slice(1));
  expect(unknown.filter((part) => part.startsWith('-') && part !== '-')).toEqual([]);
});

it('replay --help: explains the exit status', async () => {
  const { out } = await parsed(await commands.replay(), ['--help']);
  expect(out).toMatch(/Exit status: 0 .*3 .*2 /);
});

it.each([
  ['--speed', '-1'],
  ['--speed', 'fast'],
  ['--rate', 'Infinity'],
])('produce: rejects %s %s', async (flag, value) => {
  const { err, error } = await parsed(await commands.produce(), ['file', flag, value]);
  expect(error).toBeInstanceOf(CommanderError);
  expect(err).toContain('Expected a number, 0 or more.');
});
