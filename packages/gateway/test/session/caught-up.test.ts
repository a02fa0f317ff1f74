import { modelReply } from '@loopwatch/testkit';
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import { describe, expect, it } from 'vitest';
import { ask } from '../agent.ts';
import { GatewayBench } from '../harness.ts';

/** A call as a history shows it, with its result. */
type Shown = readonly [name: string, args: object, result: string];

const history = (...shown: readonly Shown[]): ChatCompletionMessageParam[] => [
  { role: 'user', content: 'Fix the rounding' },
  ...shown.flatMap(([name, args, result], n): ChatCompletionMessageParam[] => {
    const id = `call-${String(n)}`;
    const call = { id, type: 'function' as const, function: { name, arguments: JSON.stringify(args) } };
    return [
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: id, content: result },
    ];
  }),
];
const shown = (count: number, one: (i: number) => Shown): Shown[] =>
  Array.from({ length: count }, (_, i) => one(i));
const tests = (result: string): Shown => ['run_tests', {}, result];
const read = (i: number, result: string): Shown => ['read_file', { path: `src/${String(i)}.ts` }, result];
const failing = 'Error: 2 of 9 tests failed: rounds_half_up, keeps_cents';
const cleared = '[Old tool result content cleared]';

/** The requests that the model got for a history that the gateway has not seen, and how the client's answer ends. */
async function caughtUp(
  messages: ChatCompletionMessageParam[],
  preset = 'balanced',
  next: Shown = read(99, ''),
) {
  const [name, args] = next;
  await using bench = await GatewayBench.start(
    (request) => modelReply(request, { calls: [{ name, args }] }),
    {
      preset,
    },
  );
  const { finish } = await ask(bench, false, 's-1', messages);
  const sent = bench.upstream.requests.map(({ json }) => json['messages']);
  return { sent, finish };
}

describe('a history that the gateway sees for the first time', () => {
  it.each<[string, Shown[]]>([
    ['results that were left out', shown(13, (i) => read(i, cleared))],
    [
      'results that were left out, before a real one',
      [...shown(13, (i) => read(i, cleared)), read(13, 'x = 1')],
    ],
    ['a call whose old results were left out', [...shown(5, () => tests(cleared)), tests(failing)]],
    ['a loop that has ended', [...shown(6, () => tests(failing)), tests('9 of 9 tests passed')]],
    [
      'a loop that another call has ended',
      [...shown(6, () => tests(failing)), read(1, 'const cents = 100;')],
    ],
  ])('is forwarded unchanged: %s', async (_, calls) => {
    const messages = history(...calls);
    expect(await caughtUp(messages)).toEqual({ sent: [messages], finish: 'tool_calls' });
  });

  const poll = (result: string): Shown => ['get_job_status', { id: 7 }, result];
  it.each<[string, string, Shown[]]>([
    ['balanced', 'the same state', shown(12, () => poll('{"status":"running"}'))],
    ['proxy', 'another state each time', shown(6, (i) => poll(`{"done":${String(i * 13)}}`))],
    ['proxy', 'a state that has changed', [...shown(3, () => poll('a')), ...shown(2, () => poll('b'))]],
  ])('lets a client poll on, since its times are unknown: %s, %s', async (preset, _, calls) => {
    const messages = history(...calls);
    expect(await caughtUp(messages, preset, poll(''))).toEqual({ sent: [messages], finish: 'tool_calls' });
  });

  it('goes on with a loop whose results are the same', async () => {
    const { finish } = await caughtUp(history(...shown(3, () => poll('queued'))), 'proxy', poll(''));
    expect(finish).toBe('error');
  });

  it('reports its entries at the time of the request', async () => {
    await using bench = await GatewayBench.start((request) => modelReply(request, { text: 'Done.' }), {
      preset: 'balanced',
    });
    await ask(bench, false, 's-1', history(...shown(3, (i) => read(i, `x = ${String(i)}`))));
    await bench.stop();
    expect(new Set(bench.events.map(({ time }) => time))).toEqual(new Set([bench.clock.now]));
  });

  it('is stopped if its last results continue a loop', async () => {
    expect(await caughtUp(history(...shown(4, () => tests(failing))))).toMatchObject({
      sent: [],
      finish: 'stop',
    });
  });

  it('is stopped at a call that continues its loop', async () => {
    const messages = history(...shown(5, () => tests(failing)));
    const { finish } = await caughtUp(messages, 'balanced', tests(''));
    expect(finish).toBe('stop');
  });
});
