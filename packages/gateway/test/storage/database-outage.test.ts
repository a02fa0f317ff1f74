import { DatabaseUnavailable, openDatabase } from '@loopwatch/storage';
import { startPostgres, startTcpProxy, type TcpProxy, type TestPostgres, waitFor } from '@loopwatch/testkit';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { onBothDatabases } from '../../../storage/test/databases.ts';
import { Agent, calls } from '../agent.ts';
import { GatewayBench } from '../harness.ts';
import { gatewayOn, goOn, startUpstream } from './stored-gateway.ts';

onBothDatabases(({ make }) => {
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
      await waitFor(async () => (await checks()).includes('database unavailable'));

      await comeBack(proxy);
      await waitFor(async () => (await stored('s-3')) === 2 && (await stored('s-1')) > 8);
      expect(bench.texts('info')).toContain('info Database available again');
      expect((await agent.turn()).finish).toBe('error');

      await leave(proxy);
      await agent.turn();
      const stopping = performance.now();
      await bench.stop();
      expect(performance.now() - stopping).toBeLessThan(12_000);
      expect(bench.texts('error').some((line) => line.includes('Dropped messages'))).toBe(true);
    },
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
