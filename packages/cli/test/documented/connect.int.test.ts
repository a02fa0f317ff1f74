import { existsSync } from 'node:fs';
import { copyFile, readFile, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { formatNames } from '@loopwatch/contract';
import { clientsPython, freePort, readTopic, startScriptedUpstream } from '@loopwatch/testkit';
import { blocksCheckedBy } from '@loopwatch/testkit/documented';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { sampleRecords } from '../../../formats/test/sample-records.ts';
import { claudeLoop, folderOf } from '../scan/histories.ts';
import { ownTopics } from '../worker-runs.ts';
import { type Check, shellBlocks, testBlocks } from './checks.ts';
import { runDocumented } from './run-documented.ts';
import { sessionsAt, sharedServer, startedServer } from './server.ts';

const host = sharedServer();

// The first time, the packages are installed.
let python = '';
beforeAll(async () => {
  python = await clientsPython();
});

const usage = { input_tokens: 3, output_tokens: 2 };
/** A streamed response of the Messages API. */
const streamed = [
  { type: 'message_start', message: { id: 'msg_1', role: 'assistant', model: 'claude-opus-5', usage } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'I read the file.' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_stop' },
]
  .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  .join('');

const connect: Record<string, Check> = {
  'Session files on your machine': async (commands) => {
    const folder = await folderOf({
      '.claude/projects/-w/old.jsonl': claudeLoop('old', 6),
      '.claude/projects/-w/recent.jsonl': claudeLoop('recent', 6, 'recent', Date.now() - 60_000),
      '.codex/sessions/2026/05/07/rollout-x.jsonl': sampleRecords['codex']!.slice(0, 2),
      '.gemini/tmp/p/chats/session-1.json': JSON.stringify(sampleRecords['gemini-cli']![5]),
    });
    await utimes(join(folder, '.claude/projects/-w/old.jsonl'), 1e9, 1e9);
    let shown: Record<string, number> = {};
    const ran = await runDocumented(commands, {
      folder,
      running: {
        output: /at http:\/\/(\S+)\/incidents; press Ctrl\+C to stop/,
        check: async ([, host = '']) => {
          shown = await sessionsAt(host, 2);
        },
      },
    });
    expect(ran.nonZero).toEqual([
      '3 npx loopwatch scan',
      '3 npx loopwatch scan --since 7d --html report.html',
      '3 npx loopwatch scan --open',
    ]);
    expect(ran.stdout).toMatch(/2 loops in 2 of [\s\S]*1 loop in 1 of [\s\S]*2 loops in 2 of /);
    expect(await readFile(join(folder, 'report.html'), 'utf8')).toMatch(/<h1>.*1 loop in 1 of /);
    expect(shown).toEqual({ old: 1, recent: 1 });
  },
  Files: async (commands) => {
    const folder = await folderOf({ 'session.jsonl': claudeLoop('s', 6) });
    const { topics, env } = await ownTopics(inject('kafkaBrokers'));
    const ran = await runDocumented(commands, { folder, env });
    expect(ran.nonZero).toEqual(['3 npx loopwatch replay session.jsonl']);
    expect(ran.stdout).toMatch(/^opened +tool-repeat/m);
    const records = await readTopic(inject('kafkaBrokers'), topics.events);
    expect(records.length).toBeGreaterThan(12);
    expect(new Set(records.map(({ key }) => key))).toEqual(new Set(['s']));
  },
  HTTP: async (commands) => {
    const folder = await folderOf({ 'session.jsonl': claudeLoop('s', 6), 'stream.sse': streamed });
    const ran = await runDocumented(commands, { folder, host: host() });
    expect(ran.nonZero).toEqual([]);
    expect(ran.stdout.match(/"accepted":[1-9]/g)).toHaveLength(2);
    expect(await sessionsAt(host(), 2)).toEqual({ s: 1, 'run-7': 0 });
  },
  OpenTelemetry: async (commands) => {
    const token = 'a-token-that-the-server-was-started-with';
    const producer = 'a-token-that-can-only-tell-and-ask-0001';
    const { host } = await startedServer({ LOOPWATCH_API_TOKEN: token, LOOPWATCH_INGEST_TOKEN: producer });
    const folder = await folderOf({});
    await copyFile(join(import.meta.dirname, 'agent.py'), join(folder, 'agent.py'));
    const programs = dirname(python);
    const ran = await runDocumented(commands, {
      folder,
      host,
      programs,
      env: { LOOPWATCH_INGEST_TOKEN: producer },
    });
    expect(ran).toEqual({ nonZero: [], stdout: '', stderr: '' });
    expect(await sessionsAt(host, 1, token)).toEqual({ traced: 1 });
  },
  'Hooks of coding agents': async (commands) => {
    const folder = await folderOf({});
    const ran = await runDocumented(commands, { folder });
    expect(ran.nonZero).toEqual([]);
    expect(await readFile(join(folder, '.claude/settings.json'), 'utf8')).toContain('/hooks/claude-code');
  },
  'In front of the model API': async (commands) => {
    const answer = { choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' } }] };
    await using upstream = await startScriptedUpstream(() => ({ json: answer }));
    const [port, gatewayPort] = [String(await freePort()), String(await freePort())];
    const ran = await runDocumented(commands.replace('https://api.openai.com/v1', upstream.url), {
      folder: await folderOf({}),
      env: { LOOPWATCH_SERVER_PORT: port, LOOPWATCH_GATEWAY_PORT: gatewayPort },
      running: {
        output: /Loopwatch .* is at http/,
        check: async () => {
          const body = JSON.stringify({
            model: 'gpt-5-mini',
            messages: [{ role: 'user', content: 'Hello' }],
          });
          const headers = { 'content-type': 'application/json', 'x-session-id': 'asked' };
          const url = `http://localhost:${gatewayPort}/v1/chat/completions`;
          const response = await fetch(url, { method: 'POST', headers, body });
          expect(await response.json()).toEqual(answer);
          expect(await sessionsAt(`localhost:${port}`, 1)).toMatchObject({ asked: 0 });
        },
      },
    });
    expect(ran.nonZero).toEqual([]);
  },
};

const hooks: Record<string, Check> = {
  'Set up': async (commands) => {
    const folder = await folderOf({});
    const set = commands.replace(' --yes ', ` --yes --wait 4000 --url http://${host()} `);
    const ran = await runDocumented(set, { folder, host: host() });
    expect(ran.nonZero).toEqual([]);
    expect(ran.stdout).toContain(`Claude Code: installed (${join(folder, '.claude/settings.json')})`);
    expect(existsSync(join(folder, '.claude/settings.json'))).toBe(false);
  },
  'Ask over HTTP': (commands) => answersAs(commands, 0),
  'A hook for any agent': (commands) => answersAs(commands, 1),
  'A hook for any agent (2)': (commands) => answersAs(commands, 1),
};

/** Whether the answer to a request is this block of JSON in docs/hooks.md. */
async function answersAs(commands: string, block: number): Promise<void> {
  const ran = await runDocumented(commands, { folder: await folderOf({}), host: host() });
  const answers = blocksCheckedBy(import.meta.url, 'docs/hooks.md').filter(
    ({ language }) => language === 'json',
  );
  expect(JSON.parse(ran.stdout)).toEqual(JSON.parse(answers[block]!.text));
}

const readme: Record<string, Check> = {
  'Your own agents': async (commands) => {
    const folder = await folderOf({ '.claude/projects/-w/s.jsonl': claudeLoop('s', 6) });
    const ran = await runDocumented(commands, { folder });
    expect(ran.nonZero).toEqual(['3 npx loopwatch scan']);
    expect(ran.stdout).toMatch(/1 loop in 1 of \d+ sessions?\n *6 wasted calls/);
  },
};

const pages = [
  { page: 'docs/connect.md', checks: connect },
  { page: 'docs/hooks.md', checks: hooks },
  { page: 'README.md', checks: readme },
];

describe.each(pages)('commands in $page', ({ page, checks }) =>
  testBlocks(checks, shellBlocks(import.meta.url, page)),
);

it('POST /api/v1/events: accepts records of every format, as documented', async () => {
  const block = shellBlocks(import.meta.url, 'docs/connect.md').find(({ title }) => title === 'HTTP')!;
  const post = block.text.split('\n').find((command) => command.includes('session=run-7'))!;
  const answers: Record<string, unknown> = {};
  for (const format of formatNames) {
    const folder = await folderOf({ 'stream.sse': sampleRecords[format]! });
    answers[format] = JSON.parse((await runDocumented(post, { folder, host: host() })).stdout);
  }
  const taken = { accepted: expect.any(Number), rejected: [] };
  expect(answers).toMatchObject(Object.fromEntries(formatNames.map((format) => [format, taken])));
});
