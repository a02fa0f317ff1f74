import { readFileSync } from 'node:fs';
import { documentedPages, root } from '@loopwatch/testkit/documented';
import type { Command } from 'commander';
import { expect, it } from 'vitest';
import { configCommand } from '../../src/commands/config.ts';
import { doctorCommand } from '../../src/commands/doctor.ts';
import { eraseCommand } from '../../src/commands/erase.ts';
import { gatewayCommand } from '../../src/commands/gateway.ts';
import { hookCommand } from '../../src/commands/hook.ts';
import { mcpCommand } from '../../src/commands/mcp.ts';
import { notifyCommand } from '../../src/commands/notify.ts';
import { produceCommand } from '../../src/commands/produce.ts';
import { repairCommand } from '../../src/commands/repair.ts';
import { replayCommand } from '../../src/commands/replay.ts';
import { scanCommand } from '../../src/commands/scan.ts';
import { serverCommand } from '../../src/commands/server.ts';
import { startCommand } from '../../src/commands/start.ts';
import { tokensCommand } from '../../src/commands/tokens.ts';
import { topicsCommand } from '../../src/commands/topics.ts';
import { workerCommand } from '../../src/commands/worker.ts';

const commands = [
  configCommand(),
  doctorCommand(),
  gatewayCommand(),
  hookCommand(),
  eraseCommand(),
  mcpCommand(),
  notifyCommand(),
  produceCommand(),
  repairCommand(),
  replayCommand(),
  scanCommand(),
  serverCommand(),
  startCommand(),
  tokensCommand(),
  topicsCommand(),
  workerCommand(),
];
const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { scripts: object };

const longNames = (command: Command): (string | undefined)[] => [
  ...command.options.map(({ long }) => long),
  ...command.commands.flatMap(longNames),
];

/** What is wrong with a command in a line of text; undefined if nothing is. */
function faultOf(text: string): string | undefined {
  const [, script] = /^npm run (?:-s )?([\w:]+)/.exec(text) ?? [];
  if (script !== undefined) return Object.hasOwn(scripts, script) ? undefined : `no script ${script}`;
  const [, name, args = ''] = /^(?:npx )?loopwatch ([a-z]+)(.*)$/.exec(text) ?? [];
  if (name === undefined) return undefined;
  const command = commands.find((one) => one.name() === name);
  if (command === undefined) return `no command ${name}`;
  const flags = [...args.matchAll(/(?<=\s)--[\w-]+/g)].map(([flag]) => flag);
  const unknown = flags.filter((flag) => ![...longNames(command), '--help'].includes(flag));
  return unknown.length === 0 ? undefined : `no option ${unknown.join(', ')} of ${name}`;
}

it('commands within sentences: have the options that they are written with', () => {
  const spans = documentedPages().flatMap((page) =>
    [...readFileSync(`${root}${page}`, 'utf8').matchAll(/(?<!`)`([^`\n]+)`(?!`)/g)].map(([, text = '']) => ({
      page,
      text,
    })),
  );
  const written = spans.filter(({ text }) => /^(?:npm run|(?:npx )?loopwatch [a-z])/.test(text));
  expect(written.length).toBeGreaterThan(100);
  const faults = written.map(({ page, text }) => ({ page, text, fault: faultOf(text) }));
  expect(faults.filter(({ fault }) => fault !== undefined)).toEqual([]);
});

it.each([
  ['loopwatch wokrer', 'no command wokrer'],
  ['npx loopwatch worker --thread 2', 'no option --thread of worker'],
  ['npm run evaluate -- events.jsonl', 'no script evaluate'],
])('%s: is reported', (text, fault) => expect(faultOf(text)).toBe(fault));
