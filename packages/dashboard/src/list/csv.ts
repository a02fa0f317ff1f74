import type { IncidentItem } from '@loopwatch/contract/api';

const columns: Readonly<Record<string, (item: IncidentItem) => string | number | null>> = {
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
  duration_ms: ({ cost }) => cost.ms,
  triage: ({ triage }) => triage.status,
  note: ({ triage }) => triage.note,
};

/** RFC 4180. A text that a spreadsheet would take for a formula gets a quote in front: agents wrote it. */
export function toCsv(items: readonly IncidentItem[]): string {
  const names = Object.keys(columns);
  const lines = items.map((item) => names.map((name) => cell(columns[name]?.(item) ?? null)).join(','));
  return `${[names.join(','), ...lines].join('\r\n')}\r\n`;
}

function cell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
