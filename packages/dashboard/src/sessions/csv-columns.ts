import type { SessionItem } from '@loopwatch/contract/api';
import type { CsvColumns } from '../list/csv.ts';

/** Columns of the CSV file. */
export const csvColumns: CsvColumns<SessionItem> = {
  id: ({ sessionId }) => sessionId,
  title: ({ title }) => title ?? null,
  project: ({ tags }) => tags?.['project'] ?? null,
  branch: ({ tags }) => tags?.['branch'] ?? null,
  started_at: ({ startedAt }) => new Date(startedAt).toISOString(),
  last_event_at: ({ lastEventAt }) => new Date(lastEventAt).toISOString(),
  state: ({ state }) => state,
  agent: ({ agent }) => agent,
  model: ({ model }) => model,
  backend: ({ backend }) => backend,
  tenant: ({ tenant }) => tenant,
  events: ({ events }) => events,
  prompts: ({ prompts }) => prompts,
  turns: ({ turns }) => turns,
  calls: ({ toolCalls }) => toolCalls,
  characters: ({ characters }) => characters,
  input_tokens: ({ tokens }) => tokens?.input ?? null,
  output_tokens: ({ tokens }) => tokens?.output ?? null,
  cached_tokens: ({ tokens }) => tokens?.cached ?? null,
  usd: ({ usd }) => usd ?? null,
  incidents: ({ incidents }) => incidents.total,
  open_incidents: ({ incidents }) => incidents.open,
};
