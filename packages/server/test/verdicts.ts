import { createHash } from 'node:crypto';
import type { SessionSummary, Verdict } from '@loopwatch/contract';

const T0 = Date.UTC(2026, 7, 3, 14, 2, 11);

/** A verdict with everything filled in; `part` says what matters to the test. */
export function verdict(part: Partial<Verdict> = {}): Verdict {
  const count = part.count ?? 5;
  const time = part.time ?? part.detectedAt ?? T0;
  const { tool = { name: 'read_file', signature: 'read_file:{"path":"a"}' } } = part;
  return {
    v: 1,
    id: `${part.incidentId ?? 'i-1'}/${part.phase ?? 'opened'}/${String(count)}`,
    incidentId: 'i-1',
    phase: 'opened',
    kind: 'loop',
    detector: 'tool-repeat',
    action: part.phase === 'resolved' ? 'none' : 'warn',
    ...(part.phase === 'resolved' && { outcome: 'recovered' as const }),
    sessionId: 's-1',
    promptId: null,
    eventId: `e-${String(count)}`,
    eventIndex: count,
    time,
    detectedAt: time + 12,
    count,
    threshold: 5,
    windowMs: null,
    period: 1,
    confidence: 1,
    tool,
    ...(tool !== null && { callKey: createHash('sha256').update(tool.signature).digest('hex').slice(0, 16) }),
    reason: `read_file was called ${String(count)} times in a row with the same arguments`,
    evidence: { matching: 'exact', calls: [] },
    cost: { calls: count, turns: count, characters: 0, tokens: null, ms: count * 1000 },
    model: 'gpt-5-mini',
    backend: 'openai',
    agent: 'checkout-agent',
    tenant: null,
    preset: 'balanced',
    configHash: '4f1c9a2',
    ...part,
  };
}

export const START = T0;

/** A live session of two events. */
export function summary(sessionId: string, part: Partial<SessionSummary> = {}): SessionSummary {
  return {
    v: 1,
    sessionId,
    status: 'live',
    startedAt: T0,
    lastEventAt: T0 + 1,
    events: 2,
    prompts: 1,
    turns: 1,
    toolCalls: 1,
    characters: 0,
    tokens: null,
    model: null,
    backend: null,
    agent: null,
    tenant: null,
    incidents: { open: 0, total: 0, byDetector: {} },
    verdicts: 0,
    preset: 'balanced',
    configHash: 'c',
    source: { topic: 'loopwatch.events', partition: 0, firstOffset: '0', lastOffset: '1' },
    ...part,
  };
}
