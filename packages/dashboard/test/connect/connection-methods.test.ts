import { expect, test } from 'vitest';
import { connectionMethods, firstLoopCommand } from '../../src/connect/connection-methods.ts';

const origin = 'https://loops.example.com:4600';

const commandOf = (id: string, hasLogin: boolean, topic: string | null = null) =>
  connectionMethods({ origin, hasLogin, topic }).find((method) => method.id === id)?.command ?? '';

test.each(['curl', 'hooks', 'guard', 'http', 'stream'])(
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

test('firstLoopCommand: posts a valid tool call', () => {
  const body = /-d '(.*)'/.exec(firstLoopCommand({ origin, hasLogin: false }))?.[1] ?? '';
  expect(JSON.parse(body)).toMatchObject({ sessionId: 'demo', type: 'tool_call_request' });
});
