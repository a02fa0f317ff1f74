import type { IncidentItem } from '@loopwatch/contract/api';
import type { CsvColumns } from '../list/csv.ts';

/** Columns of the CSV file. */
export const csvColumns: CsvColumns<IncidentItem> = {
  id: ({ id }) => id,
  detected_at: ({ detectedAt }) => new Date(detectedAt).toISOString(),
  detector: ({ detector }) => detector,
  kind: ({ kind }) => kind,
  state: ({ state }) => state,
  outcome: ({ outcome }) => outcome,
  action: ({ action }) => action,
  reason: ({ reason }) => reason,
  tool: ({ tool }) => tool?.name ?? null,
  session: ({ sessionId }) => sessionId,
  prompt: ({ promptId }) => promptId,
  agent: ({ agent }) => agent,
  model: ({ model }) => model,
  backend: ({ backend }) => backend,
  tenant: ({ tenant }) => tenant,
  count: ({ count }) => count,
  threshold: ({ threshold }) => threshold,
  confidence: ({ confidence }) => confidence,
  calls: ({ cost }) => cost.calls,
  turns: ({ cost }) => cost.turns,
  characters: ({ cost }) => cost.characters,
  tokens: ({ cost }) => cost.tokens,
  cached_tokens: ({ cost }) => cost.cachedTokens ?? null,
  usd: ({ cost }) => cost.usd ?? null,
  duration_ms: ({ cost }) => cost.ms,
  triage: ({ triage }) => triage.status,
  assignee: ({ triage }) => triage.assignee,
  note: ({ triage }) => triage.note,
};
