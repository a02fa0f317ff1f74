import { modelReply, startScriptedUpstream } from '@loopwatch/testkit';
import { blocksCheckedBy } from '@loopwatch/testkit/documented';
import { expect, it } from 'vitest';
import { onBothDatabases } from '../../../storage/test/databases.ts';
import { applyRetention } from '../../src/storage/retention.ts';
import { Agent, ask } from '../agent.ts';
import { secretKey } from '../harness.ts';
import { type Flags, gatewayOn, startUpstream } from './stored-gateway.ts';

onBothDatabases(({ make }) => {
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
});
