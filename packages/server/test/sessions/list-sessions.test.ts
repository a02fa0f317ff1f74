import { expect, it } from 'vitest';
import { onBothDatabases } from '../../../storage/test/databases.ts';
import { writeVerdicts } from '../../src/incidents/write-verdicts.ts';
import { listSessions } from '../../src/sessions/list-sessions.ts';
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

  it('sessions are filtered by tags and agent version', async () => {
    const { database } = await make();
    const parts = {
      's-1': { tags: { env: 'prod', team: 'shop' }, agentVersion: '1.2.0' },
      's-2': { tags: { env: 'test' } },
      's-3': {},
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
  });
});
