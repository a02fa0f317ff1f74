import { analyzedByHeader } from '@loopwatch/contract';
import { modelReply, readTopic, spawnCli, startScriptedUpstream } from '@loopwatch/testkit';
import { onTestFinished } from 'vitest';
import { dataDir } from '../../server/test/server-runs.ts';

/** A gateway for a model that always makes the same call. */
export async function runGateway(env: Record<string, string>, ...flags: readonly string[]) {
  const upstream = await startScriptedUpstream((request) =>
    modelReply(request, { calls: [{ name: 'read_file', args: { path: 'a' } }] }),
  );
  onTestFinished(() => upstream[Symbol.asyncDispose]());
  const args = [
    'gateway',
    '--upstream',
    upstream.url,
    '--port',
    '0',
    '--data-dir',
    await dataDir(),
    ...flags,
  ];
  const cli = spawnCli(args, env);
  onTestFinished(async () => {
    await cli.stop('SIGKILL');
  });
  const line = await cli.line(/The gateway is at/);
  const url = (/http:\/\/localhost:\d+/.exec(line)?.[0] ?? '').replace('localhost', '127.0.0.1');
  return {
    cli,
    /** Repeats the request. @returns the finish reason */
    async ask(session: string, content = 'Fix it'): Promise<unknown> {
      const response = await fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-session-id': session },
        body: JSON.stringify({ model: 'gpt-5-mini', messages: [{ role: 'user', content }] }),
      });
      const { choices } = (await response.json()) as { choices: { finish_reason: unknown }[] };
      return choices[0]?.finish_reason;
    },
    async asks(session: string, times: number): Promise<unknown[]> {
      const ends: unknown[] = [];
      for (let i = 0; i < times; i += 1) ends.push(await this.ask(session));
      return ends;
    },
    async checks(): Promise<Record<string, { ok: boolean; detail: string }>> {
      const ready = (await (await fetch(`${url}/readyz`)).json()) as { checks: never };
      return ready.checks;
    },
    async metric(name: string): Promise<number> {
      const line = (await (await fetch(`${url}/metrics`)).text())
        .split('\n')
        .find((each) => each.startsWith(`${name} `));
      return Number(line?.split(' ').at(-1) ?? 0);
    },
  };
}

/** The events in a topic. */
export const typesIn = async (brokers: readonly string[], topic: string, count: number) =>
  (await readTopic(brokers, topic, { count })).map(({ key, value, headers }) => ({
    session: key,
    type: (JSON.parse(value ?? '') as { type: string }).type,
    judged: headers[analyzedByHeader],
  }));
