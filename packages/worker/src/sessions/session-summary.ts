import { MAX_OPEN_INCIDENTS, type SessionSummary } from '@loopwatch/contract';
import { type SessionReport, sessionTitle } from '@loopwatch/detectors/internal';
import type { TopicPartition } from '../records.ts';
import type { SessionEntry } from './entry.ts';

/** The summary of a session at its latest event, or at the last one before a pause. */
export function summaryOf(
  { analyzer, firstOffset, startedAt, summarizedAt, tally, livedAt }: SessionEntry,
  { account, incidents, lastPosition }: SessionReport,
  { topic, partition }: TopicPartition,
): SessionSummary {
  const title = sessionTitle(account.promptText ?? '');
  const byDetector = { ...tally?.opened };
  const total = Object.values(byDetector).reduce((sum, opened) => sum + opened, 0);
  return {
    v: 1,
    sessionId: analyzer.sessionId,
    status: summarizedAt === null ? 'ended' : 'live',
    ...(title !== undefined && { title, promptText: account.promptText }),
    startedAt,
    lastEventAt: livedAt,
    events: account.events,
    ...(account.unknown > 0 && { unknown: account.unknown }),
    prompts: account.prompts,
    turns: account.turns,
    toolCalls: account.toolCalls,
    characters: account.characters,
    tokens: account.tokens,
    usd: account.usd,
    model: account.model,
    backend: account.backend,
    agent: account.agent,
    tenant: account.tenant,
    ...(account.agentVersion !== undefined && { agentVersion: account.agentVersion }),
    ...(account.tags !== undefined && { tags: account.tags }),
    ...(account.parentSessionId !== undefined && { parentSessionId: account.parentSessionId }),
    incidents: { open: incidents.length, total, byDetector },
    ...(incidents.length > 0 && { openIncidents: incidents.slice(0, MAX_OPEN_INCIDENTS) }),
    verdicts: tally?.verdicts ?? 0,
    ...(tally !== undefined && tally.progress.length > 0 && { progress: [...tally.progress] }),
    source: {
      topic,
      partition,
      firstOffset: String(firstOffset),
      lastOffset: String(lastPosition),
    },
    preset: account.preset,
    configHash: account.configHash,
  };
}
