import { activityAt } from '@loopwatch/contract';
import { jsonText, type RowOf } from '@loopwatch/storage';
import { type FoldedRow, firstStep, toRow } from './fold.ts';
import { currentFigures, type IncidentFigures } from './latest-figures.ts';

/** The columns that incidents are filtered and sorted by. */
export const incidentColumns = {
  id: 'text',
  group_key: 'text',
  detector: 'text',
  kind: 'text',
  state: 'text',
  action: 'text',
  outcome: 'text',
  session_id: 'text',
  agent: 'text',
  model: 'text',
  backend: 'text',
  tenant: 'text',
  agent_version: 'text',
  tags: 'jsonb',
  tool: 'text',
  detected_at: 'float8',
  last_at: 'float8',
  active_at: 'float8',
  count: 'float8',
  calls: 'float8',
  turns: 'float8',
  tokens: 'float8',
  usd: 'float8',
  wasted_calls: 'float8',
  wasted_tokens: 'float8',
  wasted_usd: 'float8',
  duration: 'float8',
  confidence: 'float8',
  latency_ms: 'float8',
  triage: 'text',
  muted_until: 'float8',
  assignee: 'text',
  event_index: 'float8',
  figures: 'text',
  search: 'text',
} as const;

/** The least severe first. */
export const rankedActions = ['none', 'warn', 'chance', 'block'] as const;

const SEARCH_UNITS = 600;

/** What is known about an incident besides its verdicts. */
export interface IncidentContext {
  /** May have been stored before the incident. */
  readonly triage:
    | { readonly status: string; readonly mutedUntil: number | null; readonly assignee: string | null }
    | undefined;
  /** When the latest known event of its session happened, epoch ms. */
  readonly activeAt: number;
  /** According to its session's latest summary. */
  readonly figures: IncidentFigures | undefined;
}

export function incidentColumnsOf(
  fold: FoldedRow,
  { triage, activeAt, figures }: Partial<IncidentContext> = {},
): RowOf<typeof incidentColumns> {
  const row = toRow(fold, figures);
  const current = currentFigures(fold.latest, figures);
  const { id, detector, kind, state, action, outcome, sessionId, agent, model, backend, tenant, tool } = row;
  const words = [row.title, row.reason, tool?.name, sessionId, id, agent, model, tenant].filter(
    (word) => word != null,
  );
  return {
    id,
    detector,
    kind,
    state,
    action,
    outcome,
    agent,
    model,
    backend,
    tenant,
    agent_version: row.agentVersion ?? null,
    tags: row.tags ?? null,
    group_key: fold.groupKey,
    session_id: sessionId,
    tool: tool?.name ?? null,
    detected_at: row.detectedAt,
    last_at: row.lastAt,
    // Verdicts count as activity as well. What a session does after a loop is no activity of that loop.
    active_at: Math.max(
      state === 'open' ? (activeAt ?? 0) : 0,
      ...fold.verdicts.map(({ time, detectedAt }) => activityAt(time, detectedAt)),
    ),
    count: row.count,
    calls: row.cost.calls,
    turns: row.cost.turns,
    tokens: row.cost.tokens ?? -1,
    usd: row.cost.usd ?? -1,
    wasted_calls: row.wasted?.calls ?? 0,
    wasted_tokens: row.wasted?.tokens ?? -1,
    wasted_usd: row.wasted?.usd ?? -1,
    duration: row.cost.ms,
    confidence: row.confidence,
    latency_ms: latencyOf(fold),
    triage: triage?.status ?? 'new',
    muted_until: triage?.mutedUntil ?? null,
    assignee: triage?.assignee ?? null,
    event_index: current?.eventIndex ?? fold.latest.eventIndex,
    figures: current === undefined ? null : jsonText(current),
    search: words.join('\n').slice(0, SEARCH_UNITS).toLowerCase(),
  };
}

/** A larger difference means that a recording is being played, and is no latency. */
const MAX_LATENCY_MS = 600_000;

/** From the event of a verdict to its detection, ms; null when the event is not recent. */
export function latencyWithinBounds(detectedAt: number, time: number): number | null {
  const ms = detectedAt - time;
  return ms >= 0 && ms <= MAX_LATENCY_MS ? ms : null;
}

function latencyOf(fold: FoldedRow): number | null {
  const { detectedAt, time } = firstStep(fold);
  return latencyWithinBounds(detectedAt, time);
}
