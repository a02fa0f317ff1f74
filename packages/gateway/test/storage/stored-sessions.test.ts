import { type Database, DatabaseUnavailable, openDatabase } from '@loopwatch/storage';
import {
  modelReply,
  type ScriptedUpstream,
  startPostgres,
  startScriptedUpstream,
  startTcpProxy,
  type TcpProxy,
  type TestPostgres,
  waitFor,
} from '@loopwatch/testkit';
import { blocksCheckedBy } from '@loopwatch/testkit/documented';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { onBothDatabases } from '../../../storage/test/databases.ts';
import { applyRetention } from '../../src/storage/retention.ts';
import { Agent, ask, calls } from '../agent.ts';
import { GatewayBench, secretKey } from '../harness.ts';

const startUpstream = (): Promise<ScriptedUpstream> =>
  startScriptedUpstream((request) =>
    modelReply(request, { calls: [{ name: 'read_file', args: { path: 'a' } }] }),
  );
type Flags = Readonly<Record<string, unknown>>;

/** A gateway on a database that outlives it. */
const gatewayOn = (database: Database, upstream: ScriptedUpstream, flags: Flags = {}) =>
  GatewayBench.before(
    upstream,
    flags,
    {},
    {
      openDatabase: () => Promise.resolve({ ...database, close: () => Promise.resolve() }),
    },
  );

/** Lets a conversation go on at another gateway. */
function goOn(bench: GatewayBench, agent: Agent | undefined): Agent {
  const next = new Agent(bench, false, 's-1');
  if (agent !== undefined) next.messages.splice(0, 1, ...agent.messages);
  return next;
}

onBothDatabases(({ make, kind }) => {
  it.each(['proxy', 'balanced', 'similar'])(
    'restart: a session continues from the history of its next request (preset %s)',
    async (preset) => {
      const { database } = await make();
      await using upstream = await startUpstream();
      const whole = await GatewayBench.before(upstream, { preset });
      const expected = (await new Agent(whole, false, 's-1').turns(6)).map(({ finish }) => finish);
      await whole.stop();
      const got: string[] = [];
      let agent: Agent | undefined;
      for (let i = 0; i < 6; i += 1) {
        const bench = await gatewayOn(database, upstream, { preset });
        agent = goOn(bench, agent);
        got.push((await agent.turn()).finish);
        await bench.stop();
      }
      expect(got).toEqual(expected);
      expect(new Set(got).size).toBe(2);
    },
  );

  it('restart: unnamed sessions continue, each with its own count', async () => {
    const { database } = await make();
    await using upstream = await startUpstream();
    const agents: Agent[] = [];
    for (let turn = 1; turn <= 5; turn += 1) {
      const bench = await gatewayOn(database, upstream);
      for (let i = 0; i < 3; i += 1) {
        const next = new Agent(bench, false, null);
        next.messages.splice(0, 1, ...(agents[i] ?? next).messages);
        agents[i] = next;
      }
      const got = await Promise.all(agents.map((agent) => agent.turn()));
      expect(new Set(got.map(({ finish }) => finish))).toEqual(new Set([turn < 4 ? 'tool_calls' : 'error']));
      await bench.stop();
    }
  });

  it('restart: changed settings apply to the calls in the history', async () => {
    const { database } = await make();
    await using upstream = await startUpstream();
    const first = await gatewayOn(database, upstream, { 'tool_call_loop.max_repeats': 6 });
    const agent = goOn(first, undefined);
    await agent.turns(3);
    await first.stop();
    const second = await gatewayOn(database, upstream, { 'tool_call_loop.max_repeats': 4 });
    expect((await goOn(second, agent).turn()).finish).toBe('error');
    await second.stop();
    expect(second.verdicts).toMatchObject([{ phase: 'opened', count: 4, threshold: 4 }]);
  });

  it('a session evicted from memory continues from the history of its next request', async () => {
    const { database } = await make();
    await using upstream = await startUpstream();
    await using bench = await gatewayOn(database, upstream, { 'gateway.max_sessions': 1 });
    const one = new Agent(bench, false, 'one');
    const other = new Agent(bench, false, 'other');
    for (let i = 0; i < 3; i += 1) {
      expect((await one.turn()).finish).toBe('tool_calls');
      expect((await other.turn()).finish).toBe('tool_calls');
    }
    expect((await one.turn()).finish).toBe('error');
  });

  it('stored messages: each once, with synthetic replies and reached limits', async () => {
    const { database } = await make();
    await using upstream = await startScriptedUpstream((request, index) =>
      modelReply(
        request,
        request.json['tool_choice'] === 'none'
          ? { text: 'That was the limit.' }
          : { text: 'Searching.', calls: [{ name: 'grep', args: { path: `src/${String(index)}.c` } }] },
      ),
    );
    const bench = await gatewayOn(database, upstream, { 'tool_call_limit.max_turns': 2 });
    await ask(bench, false, 's-1', [{ role: 'user', content: '!/help' }]);
    const agent = new Agent(bench, true, 's-1', 'Search with sk-test-abcdef0123456789abcdef0123456789');
    agent.messages.unshift({ role: 'system', content: 'You search.' });
    agent.result = '{"output": "nothing"}';
    await agent.turns(3);
    await bench.stop();
    const rows = await database.query<{ role: string; doc: Record<string, unknown> }>(
      `select role, doc from messages where session_id = 's-1' order by number`,
    );
    const short = rows.map(({ role, doc }) => {
      const made = (doc['calls'] ?? []) as { arguments: string }[];
      return [role, doc['text'], ...made.map((call) => call.arguments)];
    });
    const limited =
      '{"output":"nothing","limit_reached":true,"limit_message":"Tool call limit reached (2). Stopping tool loop."}';
    expect(short).toEqual([
      ['user', '!/help'],
      ['assistant', expect.stringContaining('Commands for this session') as unknown],
      ['system', 'You search.'],
      ['user', 'Search with ‹masked›'],
      ['assistant', 'Searching.', '{"path":"src/0.c"}'],
      ['tool', '{"output": "nothing"}'],
      ['assistant', 'Searching.', '{"path":"src/1.c"}'],
      ['tool', limited],
      ['assistant', 'That was the limit.'],
    ]);
    expect(rows[1]?.doc).toMatchObject({ byGateway: true });
    const [documented] = blocksCheckedBy(import.meta.url);
    expect(await database.query(documented!.text)).toEqual(
      rows.map(({ role, doc }) => ({ role, text: doc['text'], calls: doc['calls'] ?? null })),
    );
  });

  it.each<[string, Flags, number]>([
    ['without text', { 'privacy.store_text': false }, 2],
    ['not at all', { 'gateway.store_messages': false }, 0],
  ])('stored messages: %s if so configured', async (_, flags, count) => {
    const { database } = await make();
    await using upstream = await startUpstream();
    const bench = await gatewayOn(database, upstream, flags);
    await new Agent(bench, false, 's-1', 'A secret plan').turn();
    await bench.stop();
    const rows = await database.query('select role, doc from messages order by number');
    expect(rows).toHaveLength(count);
    const stored = await database.query<object>(
      `select (select string_agg(doc::text, '') from messages) as messages, (select string_agg(coalesce(request, ''), '') from gateway_replies) as answers`,
    );
    expect(JSON.stringify(stored)).not.toContain('secret plan');
  });

  it('retention: deletes expired rows', async () => {
    const { database } = await make();
    await using upstream = await startUpstream();
    const first = await gatewayOn(database, upstream);
    await new Agent(first, false, 's-1').turn();
    await first.stop();
    const count = async () => {
      const [row] = await database.query<{ n: number }>('select count(*)::float8 as n from messages');
      return row?.n;
    };
    const limits = { retentionDays: 30, retentionMegabytes: null };
    await applyRetention(database, limits, first.clock.now + 29 * 86_400_000);
    expect(await count()).toBe(2);
    await applyRetention(database, limits, first.clock.now + 31 * 86_400_000);
    expect(await count()).toBe(0);
    await database.query(
      `insert into messages (session_id, at, role, doc) select 's', 0, 'user', jsonb_build_object('text', repeat(md5(n::text), 40)) from generate_series(1, 2000) as n`,
    );
    for (let i = 0; i < 3; i += 1)
      await applyRetention(database, { retentionDays: null, retentionMegabytes: 1 }, 0);
    const [left] = await database.query<{ n: number }>('select count(*)::float8 as n from messages');
    expect(left?.n).toBeGreaterThan(100);
    expect(left?.n).toBeLessThan(2000);
  });

  it('stored replies: a request can continue from a synthetic reply after a restart', async () => {
    const { database } = await make();
    await using upstream = await startUpstream();
    const first = await gatewayOn(database, upstream);
    const { id } = await first.openai().responses.create({ model: 'm', input: '!/help' });
    await first.stop();
    const second = await gatewayOn(database, upstream);
    await second.openai().responses.create({ model: 'm', input: 'Hello', previous_response_id: id });
    expect(upstream.requests.at(-1)?.json).not.toHaveProperty('previous_response_id');
    await second.stop();
  });

  it('stored replies: a request can continue from a blocked stream after a restart', async () => {
    const { database } = await make();
    await using upstream = await startUpstream();
    const first = await gatewayOn(database, upstream);
    let id: string | undefined;
    for (let i = 0; i < 4; i += 1) {
      const stream = first.openai('s-1').responses.stream({ model: 'm', input: 'Go on' });
      ({ id } = await stream.finalResponse());
    }
    await first.stop();
    expect(id).not.toContain('loopwatch');
    const second = await gatewayOn(database, upstream);
    await second
      .openai('s-1')
      .responses.create({ model: 'm', input: 'And now?', previous_response_id: id ?? null });
    const { json } = upstream.requests.at(-1) ?? {};
    expect(json).not.toHaveProperty('previous_response_id');
    expect(JSON.stringify(json?.['input'])).toMatch(/Go on.*Tool call loop detected.*And now\?/);
    await second.stop();
  });

  it('stored replies: no request with a secret is stored', async () => {
    const { database } = await make();
    await using upstream = await startUpstream();
    const bench = await gatewayOn(database, upstream);
    const input = `!/help with ${secretKey}`;
    await bench.openai().responses.create({ model: 'm', input });
    await bench.stop();
    const rows = await database.query(
      `select (select json_agg(m.*) from messages as m) as m, (select json_agg(a.*) from gateway_replies as a) as a`,
    );
    expect(rows[0]).toMatchObject({ a: [{ request: null }] });
    expect(JSON.stringify(rows)).not.toContain(secretKey);
  });

  it('database outage: fails no request, and is caught up with afterwards', async () => {
    const { database } = await make();
    await using upstream = await startUpstream();
    let away = true;
    const guarded = (): void => {
      if (away) throw new DatabaseUnavailable('the database is away');
    };
    const bench = await GatewayBench.before(
      upstream,
      {},
      {},
      {
        openDatabase: () => {
          if (away) return Promise.reject(new DatabaseUnavailable('the database is away'));
          return Promise.resolve({
            ...database,
            query: async <Row extends object>(sql: string, parameters?: readonly unknown[]) => {
              guarded();
              return database.query<Row>(sql, parameters);
            },
            transaction: async (work) => {
              guarded();
              return database.transaction(work);
            },
            close: () => Promise.resolve(),
          });
        },
      },
    );
    const agent = new Agent(bench, false, 's-1');
    await agent.turns(2);
    const ready = await (await fetch(`${bench.url}/readyz`)).json();
    expect(ready).toMatchObject({ status: 'ready', checks: { database: { ok: false } } });
    expect(await bench.registry.metrics()).toMatch(/storage_failures_total{work="open"} [1-9]/);
    away = false;
    await waitFor(() => bench.texts('info').includes('info Database available again'));
    await agent.turn();
    await waitFor(async () => (await database.query('select 1 from messages')).length > 5);
    away = true;
    expect((await agent.turn()).finish).toBe('error');
    away = false;
    await bench.stop();
    expect(bench.texts('error').every((line) => /database/i.test(line))).toBe(true);
    const next = await gatewayOn(database, upstream);
    expect((await goOn(next, agent).turn()).finish).toBe('error');
    await next.stop();
  });

  if (kind === 'postgres') {
    describe('two gateways', () => {
      it.each(['proxy', 'balanced', 'similar'])(
        'two gateways: alternating, they block at the same call as one (preset %s)',
        async (preset) => {
          const { database, open } = await make();
          await using upstream = await startUpstream();
          const whole = await GatewayBench.before(upstream, { preset });
          const expected = (await new Agent(whole, false, 's-1').turns(6)).map(({ finish }) => finish);
          await whole.stop();
          const benches = [
            await gatewayOn(database, upstream, { preset }),
            await gatewayOn(await open(), upstream, { preset }),
          ] as const;
          const got: string[] = [];
          let agent: Agent | undefined;
          for (let i = 0; i < 6; i += 1) {
            agent = goOn(benches[i % 2 === 0 ? 0 : 1], agent);
            got.push((await agent.turn()).finish);
          }
          expect(got).toEqual(expected);
          for (const bench of benches) await bench.stop();
          expect(benches.flatMap((bench) => bench.texts('error'))).toEqual([]);
        },
      );

      it('two gateways: a request may continue from a reply of the other', async () => {
        const { database, open } = await make();
        await using upstream = await startUpstream();
        const one = await gatewayOn(database, upstream);
        const two = await gatewayOn(await open(), upstream);
        const sessions: unknown[] = [];
        let previous: string | undefined;
        for (let i = 0; i < 4; i += 1) {
          const bench = i % 2 === 0 ? one : two;
          const output = { type: 'function_call_output', call_id: `c-${String(i)}`, output: 'ok' } as const;
          const answer = await bench.openai().responses.create({
            model: 'm',
            input: previous === undefined ? 'Go' : [output],
            ...(previous !== undefined && { previous_response_id: previous }),
          });
          previous = answer.id;
          expect(answer.status).toBe('completed');
        }
        await one.stop();
        await two.stop();
        for (const { events } of [one, two]) sessions.push(...events.map(({ sessionId }) => sessionId));
        expect(new Set(sessions).size).toBe(1);
      });
    });
  }
});

describe('PostgreSQL outage', () => {
  let server: TestPostgres;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());
  const openAt = (url: string) =>
    openDatabase({ data_dir: '', database_url: url }, pino({ level: 'silent' }));

  it.each<[string, (proxy: TcpProxy) => Promise<void>, (proxy: TcpProxy) => Promise<void>]>([
    ['rejects connections', (proxy) => proxy.close(), (proxy) => proxy.open()],
    [
      'does not respond',
      (proxy) => {
        proxy.pause();
        return Promise.resolve();
      },
      (proxy) => {
        proxy.resume();
        return Promise.resolve();
      },
    ],
  ])(
    'PostgreSQL outage: no request waits while it %s, and nothing is missing afterwards',
    async (_, leave, comeBack) => {
      const direct = await server.createDatabase();
      const url = new URL(direct);
      await using proxy = await startTcpProxy(url.host);
      url.host = proxy.address;
      await using upstream = await startUpstream();
      await using bench = await GatewayBench.before(
        upstream,
        {},
        {},
        { openDatabase: () => openAt(url.href) },
      );
      const agent = new Agent(bench, false, 's-1');
      await agent.turns(2);
      const other = await openAt(direct);
      onTestFinished(() => other.close());
      const stored = async (session: string) =>
        (await other.query('select 1 from messages where session_id = $1', [session])).length;
      await waitFor(async () => (await stored('s-1')) === 4);

      await leave(proxy);
      // One that the database would have to be asked for, the one at hand, and again: each within moments.
      const began = performance.now();
      await bench
        .openai('s-2')
        .responses.create({ model: 'm', input: 'Go on', previous_response_id: 'resp-x' });
      expect((await agent.turns(2)).map(({ finish }) => finish)).toEqual(['tool_calls', 'error']);
      expect((await new Agent(bench, false, 's-3').turn()).finish).toBe('tool_calls');
      expect(performance.now() - began).toBeLessThan(5_000);
      const checks = async () => JSON.stringify(await (await fetch(`${bench.url}/readyz`)).json());
      await waitFor(async () => (await checks()).includes('database unavailable'), {
        timeoutMs: 20_000,
      });

      await comeBack(proxy);
      await waitFor(async () => (await stored('s-3')) === 2 && (await stored('s-1')) > 8, {
        timeoutMs: 30_000,
      });
      expect(bench.texts('info')).toContain('info Database available again');
      expect((await agent.turn()).finish).toBe('error');

      await leave(proxy);
      await agent.turn();
      const stopping = performance.now();
      await bench.stop();
      expect(performance.now() - stopping).toBeLessThan(12_000);
      expect(bench.texts('error').some((line) => line.includes('Dropped messages'))).toBe(true);
    },
    90_000,
  );
});

it('the gateway starts although the database cannot be opened', async () => {
  await using bench = await GatewayBench.start(calls('read_file'));
  await bench.stop();
  await using other = await GatewayBench.before(
    bench.upstream,
    {},
    {},
    {
      openDatabase: () => Promise.reject(new Error('the folder belongs to another process')),
    },
  );
  expect((await new Agent(other, false).turns(4)).at(-1)?.finish).toBe('error');
  expect(other.texts('error')).toEqual(['error Database unavailable; buffering messages in memory']);
});
