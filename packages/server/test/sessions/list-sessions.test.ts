import { expect, it } from 'vitest';
import { onBothDatabases } from '../../../storage/test/databases.ts';
import { listIncidents } from '../../src/incidents/list-incidents.ts';
import { writeVerdicts } from '../../src/incidents/write-verdicts.ts';
import { listSessions } from '../../src/sessions/list-sessions.ts';
import { sessionDetail } from '../../src/sessions/sessions-api.ts';
import { writeSummaries } from '../../src/sessions/write-summaries.ts';
import { START, summary, verdict } from '../verdicts.ts';

onBothDatabases(({ make }) => {
  it('sessions are filtered by the tools of their incidents', async () => {
    const { database } = await make();
    const tools = { 's-1': 'read_file', 's-2': 'grep', 's-3': undefined };
    for (const [id, tool] of Object.entries(tools)) {
      await writeSummaries(database, [{ id, summary: summary(id), at: START }]);
      if (tool === undefined) continue;
      const found = verdict({ incidentId: `i-${id}`, sessionId: id, tool: { name: tool, signature: tool } });
      await writeVerdicts(database, [{ verdict: found, arrivedAt: START }]);
    }
    const listed = async (tool: string[]) => {
      const sort = { by: 'startedAt', descending: false } as const;
      const page = await listSessions(database, { tool }, { sort, limit: 10, cursor: undefined, now: START });
      expect(page.total).toBe(page.items.length);
      return page.items.map(({ sessionId }) => sessionId).sort();
    };
    expect(await listed(['grep'])).toEqual(['s-2']);
    expect(await listed(['grep', 'read_file'])).toEqual(['s-1', 's-2']);
    expect(await listed(['ls'])).toEqual([]);
    expect(await listed([])).toEqual(['s-1', 's-2', 's-3']);
  });

  it('sessions are filtered by tags, agent version and parent', async () => {
    const { database } = await make();
    const parts = {
      's-1': { tags: { env: 'prod', team: 'shop' }, agentVersion: '1.2.0' },
      's-2': { tags: { env: 'test' } },
      's-3': { parentSessionId: 's-1' },
    };
    for (const [id, part] of Object.entries(parts))
      await writeSummaries(database, [{ id, summary: summary(id, part), at: START }]);
    const listed = async (filter: Parameters<typeof listSessions>[1]) => {
      const sort = { by: 'startedAt', descending: false } as const;
      const page = await listSessions(database, filter, { sort, limit: 10, cursor: undefined, now: START });
      return page.items.map(({ sessionId }) => sessionId).sort();
    };
    expect(await listed({ tag: ['env:prod'] })).toEqual(['s-1']);
    expect(await listed({ tag: ['env:prod', 'env:test'] })).toEqual(['s-1', 's-2']);
    expect(await listed({ tag: ['env:prod'], agentVersion: ['1.3.0'] })).toEqual([]);
    expect(await listed({ agentVersion: ['1.2.0'] })).toEqual(['s-1']);
    expect(await listed({ parent: ['s-1'] })).toEqual(['s-3']);
    expect(await listed({ parent: ['s-2'] })).toEqual([]);
    expect((await sessionDetail(database, 's-1', START)).subAgents).toBe(1);
    expect(await sessionDetail(database, 's-3', START)).not.toHaveProperty('subAgents');
  });

  it('sessions, and their incidents, are found by a word of any prompt, and by project and branch', async () => {
    const { database } = await make();
    const source = summary('').source;
    const later = {
      startedAt: START + 7_200_000,
      lastEventAt: START + 7_200_000,
      source: { ...source, firstOffset: '10', lastOffset: '11' },
    };
    const told = [
      summary('s-1', { title: 'Refund ACME…', promptText: 'Refund ACME order 42\n50% off_season' }),
      summary('s-1', { title: 'And Globex', promptText: 'And Globex', ...later }),
      summary('s-2', { tags: { project: 'webshop', branch: 'main' }, agent: 'coder' }),
      summary('s-3', { title: 'Привет, мир', promptText: 'Привет, мир' }),
    ];
    for (const one of told) await writeSummaries(database, [{ id: one.sessionId, summary: one, at: START }]);
    await writeVerdicts(database, [
      { verdict: verdict({ incidentId: 'i-1', sessionId: 's-1' }), arrivedAt: START },
    ]);
    const sort = { by: 'startedAt', descending: false } as const;
    const found = async (q: string) =>
      (await listSessions(database, { q }, { sort, limit: 10, cursor: undefined, now: START })).items;
    const ids = async (q: string) => (await found(q)).map(({ sessionId }) => sessionId).sort();
    expect(await ids('acme ORDER')).toEqual(['s-1']);
    expect(await ids('globex')).toEqual(['s-1']);
    expect(await ids('webshop')).toEqual(['s-2']);
    expect(await ids('мир')).toEqual(['s-3']);
    expect(await ids('0% off_')).toEqual(['s-1']);
    expect(await ids('order%42')).toEqual([]);
    // The title stays that of the first part; prompts are not sent with every row.
    expect(await found('globex')).toMatchObject([{ title: 'Refund ACME…' }]);
    expect(JSON.stringify(await found('globex'))).not.toContain('42');
    const incidents = await listIncidents(
      database,
      { q: 'globex' },
      { sort: { by: 'detectedAt', descending: true }, limit: 10, cursor: undefined, now: START },
    );
    expect(incidents.items).toMatchObject([{ id: 'i-1', sessionTitle: 'Refund ACME…' }]);
    await database.query('delete from sessions');
    expect(await database.query('select * from session_texts')).toEqual([]);
  });

  it('texts of sessions are written only when they change, and found by an index', async () => {
    const { database } = await make();
    const write = (promptText: string) =>
      writeSummaries(database, [
        { id: 's-1', summary: summary('s-1', { title: 'a', promptText }), at: START },
      ]);
    const versions = () =>
      database.query<{ xmin: string }>('select xmin::text as xmin from session_texts order by part');
    await write('one');
    const before = await versions();
    await write('one');
    expect(await versions()).toEqual(before);
    await write('one\ntwo');
    expect(await versions()).toMatchObject([
      before[0]!,
      { xmin: expect.not.stringMatching(`^${before[1]!.xmin}$`) },
    ]);
    await database.query('set enable_seqscan = off');
    const plan = await database.query("explain select session_id from session_texts where text like '%two%'");
    await database.query('set enable_seqscan = on');
    expect(JSON.stringify(plan)).toContain('session_texts_by_trigram');
  });
});
