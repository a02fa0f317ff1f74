import type { IncidentDetail } from '@loopwatch/contract/api';
import { verdictPageSchema } from '@loopwatch/contract/api';
import { request } from '../api/client.ts';
import { readEvents } from '../api/sessions.ts';

/** A longer session is of no use as a test case. */
const MAX_EVENTS = 20_000;

/**
 * An incident's session as a golden case: its events up to the last one of the incident, and the verdicts they led to.
 *
 * @throws Error when the log no longer has the session's beginning, or it is too long
 */
export async function buildTestCase(incident: IncidentDetail): Promise<string> {
  const events: Record<string, unknown>[] = [];
  let after: string | undefined;
  for (;;) {
    const page = await readEvents(incident.sessionId, { limit: 1000, ...(after !== undefined && { after }) });
    if (page.gone) throw new Error('The log no longer has the start of this session');
    for (const { event, eventIndex } of page.items) {
      if (event === null || eventIndex === null || eventIndex > incident.lastEventIndex) continue;
      events.push(stripIds(event));
    }
    const last = page.items.at(-1)?.eventIndex ?? 0;
    if (page.after === null || page.items.length === 0 || last >= incident.lastEventIndex) break;
    if (events.length > MAX_EVENTS) throw new Error('The session is too long for a test case');
    after = page.after;
  }
  const { items } = await request(verdictPageSchema, '/verdicts', {
    query: { sessionId: [incident.sessionId], limit: 200 },
  });
  const expected = items
    .filter(({ eventIndex }) => eventIndex <= incident.lastEventIndex)
    .sort((a, b) => a.eventIndex - b.eventIndex)
    .map(({ phase, detector, eventIndex, action, count, outcome }) => ({
      phase,
      detector,
      eventIndex,
      action,
      count,
      ...(outcome !== undefined && { outcome }),
    }));
  return JSON.stringify({ name: incident.reason, preset: incident.preset, events, expected }, null, 2);
}

/** An event without the fields that a test case does not need. */
function stripIds(event: Record<string, unknown>): Record<string, unknown> {
  const left = new Set(['v', 'id', 'sessionId', 'tenant']);
  return Object.fromEntries(Object.entries(event).filter(([name]) => !left.has(name)));
}
