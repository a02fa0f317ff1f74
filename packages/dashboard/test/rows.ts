import type { Incident, IncidentRow, IncidentStats } from '@loopwatch/contract';

export const NOW = Date.UTC(2026, 7, 3, 14, 5, 0);

export function row(part: Partial<IncidentRow> = {}): IncidentRow {
  return {
    id: 'i-1',
    detector: 'tool-repeat',
    kind: 'loop',
    state: 'open',
    outcome: null,
    sessionId: 's-1',
    promptId: 'p-1',
    agent: 'checkout-agent',
    model: 'gpt-5-mini',
    backend: 'openai',
    tenant: null,
    tool: { name: 'read_file', signature: 'read_file:{}' },
    detectedAt: NOW - 60_000,
    openedAt: NOW - 60_012,
    lastAt: NOW - 60_012,
    resolvedAt: null,
    count: 5,
    threshold: 5,
    windowMs: null,
    period: 1,
    confidence: 1,
    action: 'warn',
    reason: 'read_file was called 5 times in a row with the same arguments',
    cost: { calls: 5, turns: 5, characters: 0, tokens: null, ms: 8_200 },
    revision: 1,
    ...part,
  };
}

export function incident(part: Partial<Incident> = {}): Incident {
  return {
    ...row(),
    resolution: null,
    guidance: null,
    evidence: {},
    verdicts: [
      {
        id: 'v-1',
        phase: 'opened',
        action: 'warn',
        count: 5,
        time: NOW - 60_012,
        detectedAt: NOW - 60_000,
        eventIndex: 41,
      },
    ],
    source: null,
    preset: 'balanced',
    configHash: '4f1c9a2',
    ...part,
  };
}

export function stats(part: Partial<IncidentStats> = {}): IncidentStats {
  return {
    open: 1,
    openByDetector: { 'tool-repeat': 1 },
    found: 1,
    foundSince: NOW - 60_000,
    foundPerMinute: new Array<number>(60).fill(0),
    resolved: { recovered: 0, ended: 0, disabled: 0 },
    calls: 5,
    tokens: null,
    latency: null,
    kept: 1,
    dropped: 0,
    ...part,
  };
}
