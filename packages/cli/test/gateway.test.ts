import { openEmbeddedLog } from '@loopwatch/log';
import { modelReply, spawnCli, startScriptedUpstream, tempDir, waitFor } from '@loopwatch/testkit';
import { describe, expect, it } from 'vitest';

const key = 'sk-test-abcdef0123456789abcdef0123456789';

/** Asks the same four times. @returns how the answers ended */
async function askFourTimes(url: string): Promise<unknown[]> {
  const ends: unknown[] = [];
  for (let i = 0; i < 4; i += 1) {
    const response = await fetch(`${url}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, 'x-session-id': 's-1' },
      body: JSON.stringify({ model: 'gpt-5-mini', messages: [{ role: 'user', content: 'Fix it' }] }),
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

describe('loopwatch gateway', () => {
  it('stops a loop, keeps what it saw in the data folder, and never shows a key', async () => {
    await using upstream = await startUpstream();
    await using dir = await tempDir();
    const flags = ['--upstream', upstream.url, '--port', '0', '--data-dir', dir.path];
    await using cli = spawnCli(['gateway', ...flags], { KAFKA_BROKERS: '' }, { from: 'source' });
    const url = urlIn(await cli.line(/The gateway is at/, 60_000));
    expect(await askFourTimes(url)).toEqual(['tool_calls', 'tool_calls', 'tool_calls', 'error']);
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
      { sessionId: 's-1', detector: 'tool-repeat', action: 'block', preset: 'proxy' },
    ]);
  }, 120_000);

  it('says what is missing', async () => {
    await using cli = spawnCli(['gateway', '--port', '0'], { KAFKA_BROKERS: '' }, { from: 'source' });
    expect(await cli.exited).toBe(2);
    expect(cli.stderr.join('\n')).toContain('No upstream is configured. Name it with --upstream');
  }, 120_000);
});

describe('loopwatch start with an upstream', () => {
  it('runs a gateway whose loops the dashboard shows, once', async () => {
    await using upstream = await startUpstream();
    await using dir = await tempDir();
    const flags = ['--port', '0', '--data-dir', dir.path, '--no-samples', '--upstream', upstream.url];
    const args = ['start', ...flags, '--set', 'gateway.port=0', '--set', 'log.format=json'];
    await using cli = spawnCli(args, { KAFKA_BROKERS: '' }, { from: 'source' });
    // An embedded database that is made anew takes its time on a busy machine.
    const gateway = urlIn(await cli.line(/The gateway is at/, 120_000));
    const at = cli.stdout.find((line) => line.includes('Loopwatch')) ?? '';
    const server = /http:\/\/localhost:\d+/.exec(at)?.[0] ?? '';
    expect(await askFourTimes(gateway)).toEqual(['tool_calls', 'tool_calls', 'tool_calls', 'error']);
    const items = async () => {
      const response = await fetch(`${server}/api/v1/verdicts`);
      return ((await response.json()) as { items: Record<string, unknown>[] }).items;
    };
    await waitFor(async () => (await items()).length > 0);
    await waitFor(async () =>
      (await (await fetch(`${server}/metrics`)).text()).includes('type="turn_finished"} 4'),
    );
    expect(await items()).toMatchObject([{ sessionId: 's-1', phase: 'opened', action: 'block' }]);
    expect(await cli.stop()).toBe(0);
  }, 180_000);
});
