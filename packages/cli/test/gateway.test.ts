import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { resolveSettings } from '@loopwatch/contract/internal';
import { openEmbeddedLog } from '@loopwatch/log';
import { openDatabase } from '@loopwatch/storage';
import { modelReply, spawnCli, startScriptedUpstream, tempDir, waitFor } from '@loopwatch/testkit';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { gatewaySettings } from '../src/gateway/start-gateway.ts';

const key = 'sk-test-abcdef0123456789abcdef0123456789';

/** The history of an agent that has made the same call so often. */
function historyOf(calls: number): object[] {
  return Array.from({ length: calls }, (_, i) => {
    const id = `c${String(i)}`;
    const call = { id, type: 'function', function: { name: 'read_file', arguments: '{"path":"a"}' } };
    return [
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: id, content: 'not found' },
    ];
  }).flat();
}

/** Repeats the same request. @returns the finish reasons */
async function askTimes(
  url: string,
  times: number,
  session = 's-1',
  content = 'Fix it',
  history: readonly object[] = [],
): Promise<unknown[]> {
  const ends: unknown[] = [];
  for (let i = 0; i < times; i += 1) {
    const response = await fetch(`${url}/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${key}`,
        'x-session-id': session,
      },
      body: JSON.stringify({ model: 'gpt-5-mini', messages: [{ role: 'user', content }, ...history] }),
    });
    const { choices } = (await response.json()) as { choices: { finish_reason: unknown }[] };
    ends.push(choices[0]?.finish_reason);
  }
  return ends;
}

const urlIn = (line: string) => /http:\/\/localhost:\d+\/v1/.exec(line)?.[0] ?? '';
const startUpstream = () =>
  startScriptedUpstream((request) =>
    modelReply(request, { calls: [{ name: 'read_file', args: { path: 'a' } }] }),
  );

describe('gatewaySettings', () => {
  it.each([
    ['the default is proxy', {}, {}, 'proxy'],
    ['a preset for all commands applies', { LOOPWATCH_PRESET: 'balanced' }, {}, 'balanced'],
    [
      'the preset of the gateway overrides it',
      { LOOPWATCH_PRESET: 'balanced' },
      { 'gateway.preset': 'similar' },
      'similar',
    ],
  ])('gateway preset: %s', (_, environment, flags, preset) => {
    const resolved = resolveSettings({ environment, flags });
    if (!resolved.ok) throw new Error(resolved.errors.join('; '));
    expect(gatewaySettings(resolved).preset).toBe(preset);
  });
});

describe('an upstream', () => {
  it.each([
    ['http://localhost:4610/v1', {}, true],
    ['http://127.0.0.1:80', { 'gateway.port': 80 }, true],
    ['http://[::1]:4610/openai', { 'gateway.host': '0.0.0.0' }, true],
    ['http://gateway.test:4610/v1', { 'gateway.host': 'gateway.test' }, true],
    ['http://gateway.test:4610/v1', {}, false],
    ['http://localhost:4600/v1', {}, false],
    ['https://api.openai.com/v1', { 'gateway.port': 0 }, false],
  ])('%s of a gateway with %o is itself, to which it must not forward: %s', (upstream, flags, isItself) => {
    const resolved = resolveSettings({ environment: {}, flags: { 'gateway.upstream': upstream, ...flags } });
    if (!resolved.ok) throw new Error(resolved.errors.join('; '));
    const settings = () => gatewaySettings(resolved);
    if (isItself) expect(settings).toThrow(/the address of the gateway itself/);
    else expect(settings().gateway.upstream).toBe(upstream);
  });
});

describe('loopwatch gateway', () => {
  it('gateway: stops a loop across a restart, stores events in the data folder, and never shows a key', async () => {
    await using upstream = await startUpstream();
    await using dir = await tempDir();
    const flags = ['--upstream', upstream.url, '--port', '0', '--data-dir', dir.path];
    const start = () => spawnCli(['gateway', ...flags], { KAFKA_BROKERS: '' });
    await using before = start();
    // Creating an embedded database is slow on a busy machine.
    const line = await before.line(/The gateway is at/);
    expect(line).toContain('with preset proxy (recommended for agents: --preset balanced');
    const first = urlIn(line);
    for (const made of [0, 1, 2])
      expect(await askTimes(first, 1, 's-1', 'Fix it', historyOf(made))).toEqual(['tool_calls']);
    expect(await before.stop()).toBe(0);
    await using cli = start();
    const url = urlIn(await cli.line(/The gateway is at/));
    expect(await askTimes(url, 1, 's-1', 'Fix it', historyOf(3))).toEqual(['error']);
    expect(await cli.stop()).toBe(0);
    expect([...cli.stdout, ...cli.stderr].join('\n')).not.toContain(key);
    expect(cli.stdout.join('\n')).toContain('Tool call loop detected in session s-1');

    const log = await openEmbeddedLog({ dir: dir.path, topics: ['loopwatch.events', 'loopwatch.verdicts'] });
    const values: Record<string, unknown>[] = [];
    const reader = log.reader('loopwatch.verdicts');
    await reader.run(({ records }) => {
      for (const { value } of records) values.push(JSON.parse(String(value)) as Record<string, unknown>);
    });
    await reader.stop();
    await log.close();
    expect(values).toMatchObject([
      { sessionId: 's-1', detector: 'tool-repeat', action: 'block', preset: 'proxy', count: 4 },
    ]);
  });

  it('gateway: stops a loop without a data folder or database when storage is off, and logs that', async () => {
    await using upstream = await startUpstream();
    await using dir = await tempDir();
    const folder = join(dir.path, 'none');
    const flags = ['--upstream', upstream.url, '--port', '0', '--data-dir', folder, '--no-store'];
    await using cli = spawnCli(['gateway', ...flags], { KAFKA_BROKERS: '' });
    const url = urlIn(await cli.line(/The gateway is at/));
    expect(await askTimes(url, 4)).toEqual(['tool_calls', 'tool_calls', 'tool_calls', 'error']);
    const ready = await fetch(new URL('/readyz', url));
    expect([ready.status, await ready.text()]).toEqual([200, expect.stringContaining('not stored: ')]);
    expect(await cli.stop()).toBe(0);
    expect(cli.stdout.filter((line) => line.includes('in memory only (--no-store)'))).toHaveLength(1);
    expect(existsSync(folder)).toBe(false);
  });

  it('gateway: suggests the option that turns storage off when the data folder is unusable', async () => {
    await using dir = await tempDir();
    const file = join(dir.path, 'file');
    await writeFile(file, '');
    const flags = ['--upstream', 'http://localhost:1/v1', '--port', '0', '--data-dir', file];
    await using cli = spawnCli(['gateway', ...flags], { KAFKA_BROKERS: '' });
    expect(await cli.exited).toBe(1);
    expect(cli.stderr.join('\n')).toContain(file);
    expect(cli.stderr.join('\n')).toContain('With --no-store the gateway needs no data folder');
  });

  it('gateway: reports a missing upstream', async () => {
    await using cli = spawnCli(['gateway', '--port', '0'], { KAFKA_BROKERS: '' });
    expect(await cli.exited).toBe(2);
    expect(cli.stderr.join('\n')).toContain('No upstream is configured. Set it with --upstream');
  });
});

describe('loopwatch start with an upstream', () => {
  it('start: runs a gateway and shows each of its loops once in the dashboard', async () => {
    await using upstream = await startUpstream();
    await using dir = await tempDir();
    const flags = ['--port', '0', '--data-dir', dir.path, '--no-samples', '--upstream', upstream.url];
    const args = ['start', ...flags, '--set', 'gateway.port=0', '--set', 'log.format=json'];
    await using cli = spawnCli(args, { KAFKA_BROKERS: '' });
    // Creating an embedded database is slow on a busy machine.
    const ready = await cli.line(/The gateway is at/);
    const gateway = urlIn(ready);
    // The address of the dashboard ends the start; on a busy machine, a warning may already follow it.
    const at = await cli.line(/Loopwatch \S+ is at/);
    expect(cli.stdout.indexOf(at)).toBeGreaterThan(cli.stdout.indexOf(ready));
    const server = /http:\/\/localhost:\d+/.exec(at)?.[0] ?? '';
    expect(await askTimes(gateway, 4)).toEqual(['tool_calls', 'tool_calls', 'tool_calls', 'error']);
    const items = async () => {
      const response = await fetch(`${server}/api/v1/verdicts`);
      return ((await response.json()) as { items: Record<string, unknown>[] }).items;
    };
    await waitFor(async () => (await items()).length > 0);
    await waitFor(async () =>
      (await (await fetch(`${server}/metrics`)).text()).includes('type="turn_finished"} 4'),
    );
    expect(await items()).toMatchObject([{ sessionId: 's-1', phase: 'opened', action: 'block' }]);

    // A loop that a person calls none is not stopped.
    const [verdict] = await items();
    const triage = (status: string) =>
      fetch(`${server}/api/v1/incidents/${String(verdict?.['incidentId'])}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ status }),
      });
    expect(await askTimes(gateway, 1)).toEqual(['error']);
    expect((await triage('false_positive')).status).toBe(200);
    expect(await askTimes(gateway, 2)).toEqual(['tool_calls', 'tool_calls']);
    expect((await triage('acknowledged')).status).toBe(200);
    expect(await askTimes(gateway, 1)).toEqual(['error']);

    // Settings of the dashboard apply in the gateway, and those of a chat appear in the dashboard.
    const settings = (scope: string) => `${server}/api/v1/settings/${encodeURIComponent(scope)}`;
    const put = await fetch(settings('server'), {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ set: { 'tool_call_loop.max_repeats': 2 } }),
    });
    expect(put.status).toBe(200);
    await waitFor(async () => (await askTimes(gateway, 2, 's-2')).includes('error'));
    await askTimes(gateway, 1, 's-3', '!/set(tool-loop-max-repeats=7)');
    await waitFor(async () =>
      (await (await fetch(settings('session:s-3'))).text()).includes(
        '"set":{"tool_call_loop.max_repeats":7}',
      ),
    );
    expect(await cli.stop()).toBe(0);

    const database = await openDatabase(
      { data_dir: dir.path, database_url: undefined },
      pino({ level: 'silent' }),
    );
    const [stored] = await database.query(
      `select (select count(*) from incidents) > 0 as incidents, (select count(*) from messages where session_id = 's-3') as messages`,
    );
    await database.close();
    expect(stored).toEqual({ incidents: true, messages: 2 });
  });
});
