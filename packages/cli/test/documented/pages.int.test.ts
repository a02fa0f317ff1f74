import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { freePort, startScriptedUpstream, waitFor } from '@loopwatch/testkit';
import { asPrinted, blocksCheckedBy } from '@loopwatch/testkit/documented';
import { describe, expect, inject } from 'vitest';
import { claudeLoop, folderOf } from '../scan/histories.ts';
import { ownTopics } from '../worker-runs.ts';
import { type Check, once, shellBlocks, testBlocks } from './checks.ts';
import { runDocumented } from './run-documented.ts';
import { sessionsAt, sharedServer } from './server.ts';

const host = sharedServer();
const loopOnThisMachine = () =>
  folderOf({ '.claude/projects/-w/s.jsonl': claudeLoop('s', 6, 's', Date.now() - 60_000) });

const start: Record<string, Check> = {
  'Look for loops on your own machine': async (commands) => {
    const ran = await runDocumented(commands, { folder: await loopOnThisMachine() });
    expect(ran.nonZero).toEqual(['3 npx loopwatch scan']);
    expect(ran.stdout).toMatch(/1 loop in 1 of \d+ sessions?\n *6 wasted calls/);
  },
  'Watch recorded sessions live': once(async (commands) => {
    const port = String(await freePort());
    const ran = await runDocumented(commands, {
      folder: await folderOf({}),
      env: { LOOPWATCH_SERVER_PORT: port },
      running: {
        output: /Loopwatch .* is at http/,
        check: async () => {
          const sessions = await sessionsAt(`localhost:${port}`, 3);
          expect(Object.keys(sessions).length).toBeGreaterThanOrEqual(3);
        },
      },
    });
    expect(ran.nonZero).toEqual([]);
  }),
  'Send it an event': async (commands) => {
    const ran = await runDocumented(commands, { folder: await folderOf({}), host: host() });
    expect(ran.stdout.match(/"accepted":1/g)).toHaveLength(4);
    expect(ran.nonZero).toEqual([]);
    await waitFor(async () => (await sessionsAt(host(), 1))['my-first-loop'] === 1, {
      describe: () => 'the incident of the fourth call',
    });
  },
};

const tuning: Record<string, Check> = {
  '1. Collect sessions': async (commands) => {
    const folder = await loopOnThisMachine();
    const ran = await runDocumented(commands, { folder, host: host() });
    expect(ran.nonZero).toEqual(['3 npx loopwatch scan --since 30d']);
    expect(await readFile(join(folder, 'labels.jsonl'), 'utf8')).toBe('');
  },
};

const answer = { choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' } }] };

const gatewayBlocks = shellBlocks(import.meta.url, 'docs/gateway.md').map(({ text }) => text);

/** A gateway as the pages start it, in front of a scripted upstream; docs/gateway.md has a request to it. */
const runGateway = once(async (commands) => {
  await using upstream = await startScriptedUpstream(() => ({ json: answer }));
  const port = String(await freePort());
  const folder = await folderOf({});
  const ran = await runDocumented(commands.replace('https://api.openai.com/v1', upstream.url), {
    folder,
    env: { LOOPWATCH_GATEWAY_PORT: port },
    running: {
      output: new RegExp(`http://localhost:${port}`),
      check: async () => {
        const asked = gatewayBlocks[1]!.replaceAll('localhost:4610', `localhost:${port}`);
        expect(JSON.parse((await runDocumented(asked, { folder })).stdout)).toEqual(answer);
      },
    },
  });
  expect(ran.nonZero).toEqual([]);
});

const gateway: Record<string, Check> = {
  Start: runGateway,
  'Start (2)': () => runGateway(gatewayBlocks[0]!),
};

const readme: Record<string, Check> = {
  'Agents in production': start['Watch recorded sessions live']!,
  'An event in, a verdict out': async (commands) => {
    const ran = await runDocumented(commands, { folder: await folderOf({}) });
    const [opened, escalated] = ran.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    const output = blocksCheckedBy(import.meta.url, 'README.md').find(({ language }) => language === 'json');
    const printed: unknown = JSON.parse(output!.text);
    expect(asPrinted(opened, printed)).toEqual(printed);
    expect(escalated).toMatchObject({ phase: 'escalated', action: 'block', eventIndex: 4 });
    expect(ran.nonZero).toEqual([expect.stringMatching(/^3 /)]);
  },
  'On Kafka': async (commands) => {
    const [broker = ''] = inject('kafkaBrokers');
    const { env, topics } = await ownTopics([broker]);
    const folder = await folderOf({});
    const lines = claudeLoop('s', 6).map((record) => `${JSON.stringify(record)}\n`);
    await writeFile(join(folder, 'events.jsonl.gz'), gzipSync(lines.join('')));
    const port = String(await freePort());
    const stop = 'until [ -e verdict-seen ]; do sleep 0.1; done\nkill %1 %2\nwait';
    const running = runDocumented(`${commands.replace('localhost:9092', broker)}\n${stop}`, {
      folder,
      env: { ...env, LOOPWATCH_SERVER_PORT: port },
    });
    await waitFor(async () => (await sessionsAt(`localhost:${port}`, 1))['s'] === 1, {
      describe: () => `a loop on the server, from ${topics.verdicts}`,
    });
    await writeFile(join(folder, 'verdict-seen'), '');
    expect((await running).nonZero).toEqual([]);
  },
  'In front of the model API': runGateway,
  Tests: async (commands) => {
    const ran = await runDocumented(commands, { folder: await folderOf({}) });
    expect(ran.nonZero).toEqual([]);
  },
};

const command: Record<string, Check> = {
  // Scanning and starting in one block: both of docs/start.md.
  Loopwatch: async (commands) => {
    const port = String(await freePort());
    const ran = await runDocumented(commands, {
      folder: await loopOnThisMachine(),
      env: { LOOPWATCH_SERVER_PORT: port },
      running: {
        output: /Loopwatch .* is at http/,
        check: async () => {
          await sessionsAt(`localhost:${port}`, 1);
        },
      },
    });
    expect(ran.nonZero).toEqual([expect.stringMatching(/^3 npx loopwatch scan/)]);
  },
};

const pages = [
  { page: 'docs/start.md', checks: start },
  { page: 'docs/tuning.md', checks: tuning },
  { page: 'docs/gateway.md', checks: gateway },
  { page: 'README.md', checks: readme },
  { page: 'packages/cli/README.md', checks: command },
];

describe.each(pages)('commands in $page', ({ page, checks }) =>
  testBlocks(checks, shellBlocks(import.meta.url, page)),
);
