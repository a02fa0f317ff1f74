import { expect, it } from 'vitest';
import { onBothDatabases } from '../../../storage/test/databases.ts';
import { writeVerdicts } from '../../src/incidents/write-verdicts.ts';
import { listSessions } from '../../src/sessions/list-sessions.ts';
import { writeSummaries } from '../../src/sessions/write-summaries.ts';
import { START, summary, verdict } from '../verdicts.ts';

onBothDatabases(({ make }) => {
  it('sessions are listed by the tools that their incidents are about', async () => {
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
});
