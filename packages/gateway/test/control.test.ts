import { erasedHeader, settingsByHeader } from '@loopwatch/contract';
import { BytesRecord, LogError, type LogRecord, type TopicHandler, type TopicReader } from '@loopwatch/log';
import { waitFor } from '@loopwatch/testkit';
import type { ResponseInput } from 'openai/resources/responses/responses';
import { describe, expect, it } from 'vitest';
import { sharedPglite } from '../../storage/test/shared-pglite.ts';
import { Agent, ask, calls } from './agent.ts';
import { GatewayBench, topics } from './harness.ts';

/** The `control` topic: what is there at the start, and what is written later. */
class ControlTopic {
  readonly #records: LogRecord[] = [];
  #handler: TopicHandler | undefined;
  down: Error | undefined;

  reader(): TopicReader {
    return {
      run: async (handler) => {
        if (this.down !== undefined) throw this.down;
        this.#handler = handler;
        await this.#hand(this.#records);
      },
      stop: () => Promise.resolve(),
    };
  }

  async write(
    scope: string,
    set: object | null,
    headers: LogRecord['headers'] = {},
    timestamp = 0,
  ): Promise<void> {
    const value = set === null ? null : Buffer.from(JSON.stringify({ v: 1, scope, set, unset: [] }));
    const place = { offset: this.#records.length, timestamp };
    const record = new BytesRecord({ ...place, key: Buffer.from(scope), value, headers });
    this.#records.push(record);
    await this.#hand([record]);
  }

  async #hand(records: readonly LogRecord[]): Promise<void> {
    await this.#handler?.({ topic: topics.control, partition: 0, records, next: 0, lag: 0 });
  }
}

async function startBench(
  control: ControlTopic,
  flags: Readonly<Record<string, unknown>> = {},
  more: Parameters<typeof GatewayBench.before>[3] = {},
): Promise<GatewayBench> {
  const first = await GatewayBench.start(calls('read_file'));
  await first.stop();
  return GatewayBench.before(first.upstream, flags, {}, { ...more, control: () => control.reader() });
}
const finishes = async (agent: Agent, turns: number) =>
  (await agent.turns(turns)).map(({ finish }) => (finish === 'tool_calls' ? 'call' : finish));

describe('an erased session', () => {
  const database = sharedPglite();

  it('is gone from memory and from the database, and begins again with its next request', async () => {
    const stored = await database();
    const control = new ControlTopic();
    const openDatabase = () => Promise.resolve({ ...stored, close: () => Promise.resolve() });
    await using bench = await startBench(control, { 'tool_call_loop.max_repeats': 4 }, { openDatabase });
    const messages = async () =>
      Object.fromEntries(
        (
          await stored.query<{ id: string; n: number }>(
            'select session_id as id, count(*)::int as n from messages group by 1',
          )
        ).map(({ id, n }) => [id, n]),
      );
    for (const id of ['s-1', 's-2'])
      expect(await finishes(new Agent(bench, false, id), 3)).toEqual(['call', 'call', 'call']);
    await waitFor(async () => Object.keys(await messages()).length === 2);
    const before = await messages();

    await control.write('session:s-1', null);
    await control.write('session:s-1', null, { [erasedHeader]: Buffer.from('1') }, bench.clock.now);
    await waitFor(async () => !('s-1' in (await messages())));
    expect(await messages()).toEqual({ 's-2': before['s-2'] });

    expect(await finishes(new Agent(bench, false, 's-1'), 4)).toEqual(['call', 'call', 'call', 'error']);
  });

  it('leaves no calls behind to which a request can refer, unlike the others', async () => {
    const control = new ControlTopic();
    await using bench = await startBench(control);
    const erase = (id: string) =>
      control.write(`session:${id}`, null, { [erasedHeader]: Buffer.from('1') }, bench.clock.now);
    const input: ResponseInput = [{ role: 'user', content: 'Go' }];
    const outputOf = async (session: string) =>
      (await bench.openai(session).responses.create({ model: 'm', input })).output;
    for (let turn = 0; turn < 3; turn += 1)
      for (const item of await outputOf('s-1')) {
        if (item.type !== 'function_call') continue;
        input.push({ type: 'item_reference', id: item.id ?? '' });
        input.push({ type: 'function_call_output', call_id: item.call_id, output: 'ok' });
      }
    await erase('s-2');
    expect(await outputOf('s-3')).toMatchObject([{ type: 'message' }]);
    await erase('s-1');
    expect(await outputOf('s-4')).toMatchObject([{ type: 'function_call' }]);
  });
});

describe('dashboard settings', () => {
  it.each(['server', 'model:openai/gpt-5-mini', 'session:s-1'])(
    'dashboard settings: apply at once until removed (%s)',
    async (scope) => {
      const control = new ControlTopic();
      await control.write(scope, { 'tool_call_loop.max_repeats': 3 });
      await using bench = await startBench(control);
      expect(await finishes(new Agent(bench, false, 's-1', 'First'), 3)).toEqual(['call', 'call', 'error']);
      await control.write(scope, { 'tool_call_loop.max_repeats': 2 });
      expect(await finishes(new Agent(bench, false, 's-1', 'Second'), 2)).toEqual(['call', 'error']);
      await control.write(scope, null);
      expect(await finishes(new Agent(bench, false, 's-1', 'Third'), 4)).toEqual([
        'call',
        'call',
        'call',
        'error',
      ]);
      expect(
        bench.verdicts.filter(({ phase }) => phase === 'opened').map(({ threshold }) => threshold),
      ).toEqual([3, 2, 4]);
    },
  );

  it.each(['server', 'session:s-1'])(
    'dashboard settings: stop a session until it is resumed (%s)',
    async (scope) => {
      const control = new ControlTopic();
      await using bench = await startBench(control);
      expect(await finishes(new Agent(bench, false, 's-1'), 1)).toEqual(['call']);
      await control.write(scope, { stopped: true });
      const asked = bench.upstream.requests.length;
      for (const stream of [false, true]) {
        const stopped = new Agent(bench, stream, 's-1', 'Go on, please');
        expect(await stopped.turn()).toMatchObject({
          calls: [],
          text: 'The session was stopped in Loopwatch. It continues once it is resumed there.',
        });
      }
      expect(bench.upstream.requests).toHaveLength(asked);
      await control.write(scope, null);
      expect(await finishes(new Agent(bench, false, 's-1', 'And now'), 1)).toEqual(['call']);
    },
  );

  it.each(['server', 'session:s-1'])(
    'dashboard settings: raising an exhausted budget lets the session continue (%s)',
    async (scope) => {
      const control = new ControlTopic();
      await control.write(scope, { 'budget.calls': 2 });
      await using bench = await startBench(control);
      expect(await finishes(new Agent(bench, false, 's-1'), 3)).toEqual(['call', 'call', 'error']);
      await control.write(scope, { 'budget.calls': 10 });
      expect(await finishes(new Agent(bench, false, 's-1', 'Go on'), 1)).toEqual(['call']);
    },
  );

  it.each(['server', 'session:s-1'])(
    'dashboard settings: switch all detection off and on again (%s)',
    async (scope) => {
      const control = new ControlTopic();
      await using bench = await startBench(control);
      const agent = new Agent(bench, false, 's-1');
      expect(await finishes(agent, 4)).toEqual(['call', 'call', 'call', 'error']);
      await control.write(scope, { enabled: false });
      const again = new Agent(bench, false, 's-1', 'Once more');
      expect(await finishes(again, 5)).toEqual(['call', 'call', 'call', 'call', 'call']);
      await control.write(scope, null);
      expect(await finishes(new Agent(bench, false, 's-1', 'And again'), 4)).toEqual([
        'call',
        'call',
        'call',
        'error',
      ]);
    },
  );

  it('dashboard settings: of one session do not affect others; session settings win over wider ones', async () => {
    const control = new ControlTopic();
    await using bench = await startBench(control);
    await control.write('session:s-1', { 'tool_call_loop.max_repeats': 2 });
    await control.write('server', { 'tool_call_loop.max_repeats': 3 });
    expect(await finishes(new Agent(bench, false, 's-1'), 2)).toEqual(['call', 'error']);
    expect(await finishes(new Agent(bench, false, 's-2'), 3)).toEqual(['call', 'call', 'error']);
  });

  it('dashboard settings: apply to an open loop', async () => {
    const control = new ControlTopic();
    await using bench = await startBench(control);
    const agent = new Agent(bench, false, 's-1');
    expect(await finishes(agent, 2)).toEqual(['call', 'call']);
    await control.write('server', { 'tool_call_loop.max_repeats': 3 });
    expect(await finishes(agent, 1)).toEqual(['error']);
  });

  it('dashboard settings: invalid ones change nothing and are logged', async () => {
    const control = new ControlTopic();
    await using bench = await startBench(control);
    await control.write('server', { 'tool_call_loop.max_repeets': 3 });
    await control.write('session:s-1', { 'tool_call_loop.max_repeats': -1 });
    expect(await finishes(new Agent(bench, false, 's-1'), 4)).toEqual(['call', 'call', 'call', 'error']);
    const lines = bench.texts('warn').join('\n');
    expect(lines).toContain('did you mean tool_call_loop.max_repeats');
    expect(lines).toContain('tool_call_loop.max_repeats = -1');
  });

  it('dashboard settings: an unavailable control topic does not prevent a start; they apply once it is read', async () => {
    const control = new ControlTopic();
    await control.write('server', { 'tool_call_loop.max_repeats': 2 });
    control.down = new LogError('broker_unreachable', 'no broker answers');
    const starting = startBench(control);
    control.down = new LogError('broker_unreachable', 'no broker answers');
    await using bench = await starting;
    const ready = async () => (await (await fetch(`${bench.url}/readyz`)).json()) as object;
    expect(await ready()).toMatchObject({ status: 'ready', checks: { settings: { ok: false } } });
    expect(await finishes(new Agent(bench, false, 's-1'), 4)).toEqual(['call', 'call', 'call', 'error']);
    control.down = undefined;
    await waitFor(async () => JSON.stringify(await ready()).includes('following the control topic'));
    expect(await finishes(new Agent(bench, false, 's-2'), 2)).toEqual(['call', 'error']);
  });
});

describe('chat settings', () => {
  it('chat settings: are published to the control topic, and ignored when read back', async () => {
    const control = new ControlTopic();
    await using bench = await startBench(control);
    const say = (content: string) => ask(bench, false, 's-1', [{ role: 'user', content }]);
    await say('!/set(tool-loop-max-repeats=3)');
    await say('!/set(tool-loop-max-repeats=2)');
    await waitFor(() => bench.sink.records.filter(({ topic }) => topic === topics.control).length === 2);
    const told = bench.sink.records.filter(({ topic }) => topic === topics.control);
    expect(told.map(({ key, value }) => [key, (JSON.parse(String(value)) as { set: object }).set])).toEqual([
      ['session:s-1', { 'tool_call_loop.max_repeats': 3 }],
      ['session:s-1', { 'tool_call_loop.max_repeats': 2 }],
    ]);
    expect(String(told[0]?.headers?.[settingsByHeader])).toBe('chat');
    // The first of them is read when the second holds already.
    await control.write('session:s-1', { 'tool_call_loop.max_repeats': 3 }, told[0]?.headers);
    expect(await finishes(new Agent(bench, false, 's-1'), 2)).toEqual(['call', 'error']);
    await say('!/unset(tool-loop-max-repeats)');
    await waitFor(() =>
      bench.sink.records.some(({ topic, value }) => topic === topics.control && value === null),
    );
    expect(await finishes(new Agent(bench, false, 's-1', 'Now'), 4)).toEqual([
      'call',
      'call',
      'call',
      'error',
    ]);
  });
});
