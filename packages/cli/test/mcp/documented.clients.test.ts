import { tempDir } from '@loopwatch/testkit';
import { blocksCheckedBy } from '@loopwatch/testkit/documented';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, inject, it, onTestFinished } from 'vitest';
import { commandFile } from '../../src/runtime/installation.ts';
import { runDocumented } from '../documented/run-documented.ts';

const agents = inject('codingAgents');

const blocks = blocksCheckedBy(import.meta.url);
const shell = blocks.filter(({ language }) => language === 'sh').map(({ text }) => text);
const settings = blocks.filter(({ language }) => language === 'json').map(({ text }) => text);

/** The command of this build, as npx would run that of the published package. */
const npx = `[ "$1" = -y ] && shift\n[ "$1" = loopwatch ] || exit 127\nshift\nexec "${process.execPath}" "${commandFile}" "$@"`;

it('docs/mcp.md: Claude Code, set up as documented, connects to the server', async () => {
  const folder = await tempDir();
  onTestFinished(() => folder.remove());
  const [add] = shell.filter((text) => text.startsWith('claude '));
  const { nonZero, stdout } = await runDocumented(`${add ?? 'exit 1'}\nclaude mcp list`, {
    folder: folder.path,
    programs: agents,
    standIns: { npx },
  });
  expect(nonZero).toEqual([]);
  expect(stdout).toMatch(/^loopwatch: npx -y loopwatch mcp - .* Connected$/m);
});

it('docs/mcp.md: the HTTP server starts as documented', async () => {
  const folder = await tempDir();
  onTestFinished(() => folder.remove());
  const [start] = shell.filter((text) => text.startsWith('npx '));
  let status = 0;
  await runDocumented(`${start?.trim() ?? 'exit 1'} --port 0`, {
    folder: folder.path,
    standIns: { npx },
    running: {
      output: /at (http:\S+\/mcp)\n/,
      check: async ([, address = '']) => {
        status = (await fetch(address)).status;
      },
    },
  });
  expect(status).toBe(405);
});

it.each(settings)('docs/mcp.md: an editor, set up as documented, connects to the server', async (text) => {
  const { mcpServers, servers = mcpServers } = JSON.parse(text) as Record<string, object | undefined>;
  const { loopwatch } = servers as { loopwatch: { command: string; args: string[] } };
  const [yes, name, ...args] = loopwatch.args;
  expect([loopwatch.command, yes, name]).toEqual(['npx', '-y', 'loopwatch']);
  const client = new Client({ name: 'editor', version: '1.0.0' });
  onTestFinished(() => client.close());
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [commandFile, ...args] }));
  expect((await client.listTools()).tools).not.toEqual([]);
});
