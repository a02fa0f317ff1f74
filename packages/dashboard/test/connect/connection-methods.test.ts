import { hookAgents } from '@loopwatch/contract/api';
import { expect, test } from 'vitest';
import { connectionMethods, firstLoopCommand } from '../../src/connect/connection-methods.ts';

const origin = 'https://loops.example.com:4600';

const commandOf = (id: string, hasLogin: boolean, topic: string | null = null) =>
  connectionMethods({ origin, hasLogin, topic }).find((method) => method.id === id)?.command ?? '';

test.each(['curl', 'hooks', 'guard', 'http', 'otel', 'stream'])(
  'connectionMethods: %s names the server, and the token only if logins are required',
  (id) => {
    expect(commandOf(id, false)).toContain(origin);
    expect(commandOf(id, false)).not.toContain('LOOPWATCH_INGEST_TOKEN');
    expect(commandOf(id, true)).toContain('LOOPWATCH_INGEST_TOKEN');
  },
);

test('connectionMethods: the gateway is on the same host, on its own port', () => {
  expect(commandOf('gateway', false)).toContain('OPENAI_BASE_URL=https://loops.example.com:4610/v1');
});

test.each([
  [null, 'loopwatch.events'],
  ['agents.events', 'agents.events'],
])('connectionMethods: Kafka with topic %s', (topic, shown) => {
  const method = connectionMethods({ origin, hasLogin: false, topic }).find(({ id }) => id === 'kafka');
  expect(method?.text).toContain(`topic ${shown} `);
});

test('connectionMethods: installs the hook of one agent, and names the others', () => {
  const hooks = connectionMethods({ origin, hasLogin: false, topic: null }).find(({ id }) => id === 'hooks');
  expect(hooks?.command).toBe(`npx loopwatch hook install claude-code --url ${origin}`);
  for (const agent of hookAgents) expect(hooks?.text).toContain(agent);
});

test.each(['kafka', 'gateway'])('connectionMethods: no command of %s keeps the next one waiting', (id) => {
  const commands = commandOf(id, false).split('\n').slice(0, -1);
  expect(
    commands.filter((line) => /loopwatch (?:worker|gateway)/.test(line) && !line.endsWith(' &')),
  ).toEqual([]);
});

test('firstLoopCommand: posts a valid tool call', () => {
  const body = /-d '(.*)'/.exec(firstLoopCommand({ origin, hasLogin: false }))?.[1] ?? '';
  expect(JSON.parse(body)).toMatchObject({ sessionId: 'demo', type: 'tool_call_request' });
});
