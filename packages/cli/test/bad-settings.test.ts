import { openEmbeddedLog } from '@loopwatch/log';
import { spawnCli, startScriptedUpstream, tempDir } from '@loopwatch/testkit';
import { expect, test } from 'vitest';
import { invalidSettings, warning } from './invalid-settings.ts';

const control = 'loopwatch.control';
async function leave(dir: string): Promise<void> {
  const log = await openEmbeddedLog({ dir, topics: [control] });
  const sink = log.sink();
  await sink.open();
  await sink.publish(invalidSettings.map(([key, value]) => ({ topic: control, key, value })));
  await log.close();
}

test('start: with bad settings in the log, applies the good ones and shows the bad ones', async () => {
  await using dir = await tempDir();
  await leave(dir.path);
  const flags = ['--port', '0', '--data-dir', dir.path, '--no-samples', '--set', 'worker.port=0'];
  await using cli = spawnCli(['start', ...flags], { KAFKA_BROKERS: '' });
  const url = /http:\/\/localhost:\d+/.exec(await cli.line(/http:\/\/localhost:\d+/))?.[0] ?? '';
  const answer = await fetch(`${url}/api/v1/settings/server`);
  const { invalid, effective } = (await answer.json()) as {
    invalid: { path: string }[];
    effective: { path: string; value: unknown }[];
  };
  expect(invalid.map(({ path }) => path).toSorted()).toEqual([
    'no.such.key',
    'privacy.mask',
    'tool_cycle.max_period',
  ]);
  expect(effective).toContainEqual(expect.objectContaining({ path: 'tool_call_loop.max_repeats', value: 3 }));

  // Arguments that would block every process with such a mask.
  const args = { c: `${'a'.repeat(44)}!` };
  const calls = Array.from({ length: 3 }, () => ({
    sessionId: 's-1',
    type: 'tool_call_request',
    name: 'run',
    args,
  }));
  await fetch(`${url}/api/v1/events`, {
    method: 'POST',
    body: calls.map((call) => JSON.stringify(call)).join('\n'),
  });
  const verdicts = async (): Promise<unknown[]> =>
    ((await (await fetch(`${url}/api/v1/verdicts`)).json()) as { items: unknown[] }).items;
  await expect.poll(verdicts).toMatchObject([{ detector: 'tool-repeat', threshold: 3 }]);
  expect(await cli.stop()).toBe(0);
  const lines = [...cli.stdout, ...cli.stderr];
  expect(lines.filter((line) => warning.test(line)).length).toBeGreaterThan(0);
  expect(lines.join('\n')).toMatch(
    /Of the settings of model:openai\/gpt-5, outage\.min_failures cannot be taken/,
  );
});

test('gateway: starts with bad settings in the log, and reports the rejected ones', async () => {
  await using dir = await tempDir();
  await leave(dir.path);
  await using upstream = await startScriptedUpstream(() => ({ json: {} }));
  const flags = ['--upstream', upstream.url, '--port', '0', '--data-dir', dir.path];
  await using cli = spawnCli(['gateway', ...flags], { KAFKA_BROKERS: '' });
  await cli.line(/The gateway is at/);
  expect(await cli.stop()).toBe(0);
  expect([...cli.stdout, ...cli.stderr].filter((line) => warning.test(line))).toHaveLength(1);
});
