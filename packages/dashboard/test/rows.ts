import type { IncidentStats } from '@loopwatch/contract';
import {
  type ChangesMessage,
  type IncidentDetail,
  type IncidentItem,
  noTriage,
  type Overview,
  type SessionEvent,
  type SessionItem,
  type SettingKey,
  type SnapshotMessage,
} from '@loopwatch/contract/api';

export const NOW = Date.UTC(2026, 7, 3, 14, 5, 0);

export function row(part: Partial<IncidentItem> = {}): IncidentItem {
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
    lastActivityAt: NOW,
    resolvedAt: null,
    count: 5,
    threshold: 5,
    windowMs: null,
    period: 1,
    confidence: 1,
    action: 'warn',
    title: 'read_file ×5',
    arguments: '{}',
    reason: 'read_file was called 5 times in a row with the same arguments',
    cost: { calls: 5, turns: 5, characters: 0, tokens: null, ms: 8_200 },
    revision: 1,
    source: null,
    groupKey: 'tool-repeat read_file',
    triage: noTriage,
    ...part,
  };
}

export function incident(part: Partial<IncidentDetail> = {}): IncidentDetail {
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
    triageHistory: [],
    firstEventIndex: 41,
    lastEventIndex: 41,
    ...part,
  };
}

export function stats(part: Partial<IncidentStats> = {}): IncidentStats {
  return {
    open: 1,
    quiet: 0,
    openByDetector: { 'tool-repeat': 1 },
    found: 1,
    foundSince: NOW - 60_000,
    foundPerMinute: new Array<number>(60).fill(0),
    resolved: { recovered: 0, ended: 0, disabled: 0 },
    calls: 5,
    tokens: null,
    usd: null,
    unpriced: 0,
    latency: null,
    kept: 1,
    dropped: 0,
    ...part,
  };
}

export function overview(openItems: IncidentItem[], part: Partial<Overview> = {}): Overview {
  const counts = openItems.length === 0 ? {} : { 'tool-repeat': openItems.length };
  const wasted = { calls: 5, tokens: null, usd: null, unpriced: 0 };
  return {
    asOf: NOW,
    sequence: 1,
    from: NOW - 300_000,
    to: NOW,
    bucketMs: 60_000,
    firstAt: NOW - 90_000,
    open: openItems.length,
    quiet: 0,
    openByDetector: counts,
    openItems,
    found: openItems.length,
    recovered: 0,
    limits: 0,
    outages: 0,
    wasted,
    rate: {
      loops: openItems.length,
      sessions: 1,
      wastedUsd: null,
      usd: null,
      previous: null,
      stepMs: 60_000,
      steps: [],
      agents: [],
    },
    deploys: [],
    latency: null,
    liveSessions: 1,
    lag: 0,
    readTo: null,
    buckets: Array.from({ length: 5 }, (_, n) => ({
      at: NOW - 300_000 + n * 60_000,
      latency: null,
      activeSessions: 1,
      wasted,
      incidents: n === 4 ? counts : {},
    })),
    detectors: openItems.slice(0, 1).map(() => ({
      detector: 'tool-repeat' as const,
      incidents: openItems.length,
      open: openItems.length,
      wasted,
      acknowledged: 0,
      falsePositives: 0,
      falsePositiveRate: null,
    })),
    ...part,
  };
}

export const info = { version: '0.1.0', preset: 'balanced', configHash: '4f1c9a2' };

export function snapshot(incidents: IncidentItem[], part: Partial<IncidentStats> = {}): SnapshotMessage {
  return { sequence: 1, incidents, sessions: [], stats: stats({ found: incidents.length, ...part }), info };
}

export function changes(part: Partial<ChangesMessage>): ChangesMessage {
  return {
    sequence: 2,
    incidents: [],
    sessions: [],
    settings: [],
    mutes: [],
    dropped: { incidents: 0, sessions: 0 },
    stats: null,
    ...part,
  };
}

export function session(part: Partial<SessionItem> = {}): SessionItem {
  return {
    sessionId: 's-1',
    state: 'live',
    startedAt: NOW - 90_000,
    lastEventAt: NOW - 1_000,
    events: 60,
    prompts: 1,
    turns: 6,
    toolCalls: 6,
    characters: 800,
    tokens: null,
    usd: null,
    model: 'gpt-5-mini',
    backend: 'openai',
    agent: 'checkout-agent',
    tenant: null,
    incidents: { open: 1, quiet: 0, total: 1, byDetector: { 'tool-repeat': 1 } },
    verdicts: 1,
    source: { topic: 'loopwatch.events', partition: 0, firstOffset: '0', lastOffset: '59' },
    preset: 'balanced',
    configHash: '4f1c9a2',
    lastActivityAt: NOW,
    updatedAt: NOW,
    ...part,
  };
}

/** Events of a session, counted from 0. */
export function events(...list: ({ type: string } & Record<string, unknown>)[]): SessionEvent[] {
  return list.map((event, index) => ({
    offset: String(index),
    timestamp: NOW + index,
    eventIndex: index,
    duplicate: false,
    event,
    error: null,
  }));
}

export function settingKey(part: Partial<SettingKey> = {}): SettingKey {
  return {
    path: 'tool_call_loop.max_repeats',
    type: 'integer',
    choices: null,
    min: 2,
    max: 100,
    nullable: false,
    allowed: 'a whole number from 2 to 100',
    description: 'Identical calls before a loop is reported.',
    scopes: ['server', 'model', 'session'],
    ...part,
  };
}
