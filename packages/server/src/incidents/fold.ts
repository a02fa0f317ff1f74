import type { Incident, IncidentRow, IncidentStep, Verdict } from '@loopwatch/contract';
import { groupKey } from './group-key.ts';

/**
 * One incident as the fold of its verdicts. Each field is taken from an extreme verdict (the first, the latest, the
 * strongest), never from "the one that came last": so verdicts that arrive twice or late change nothing they should not.
 */

/** Steps of an incident that are kept: the first and the latest. */
export const KEPT_STEPS = 32;

const phaseRank = { opened: 0, escalated: 1, resolved: 2 } as const;
const actionRank = { none: 0, warn: 1, chance: 2, block: 3 } as const;

/** A verdict, without its evidence unless said, and when it was noticed: its own word for it, else the record's timestamp. */
export interface Seen {
  readonly verdict: Verdict;
  readonly detectedAt: number;
}

export interface IncidentFold {
  /** In the order of the stream; the first, then the latest. */
  readonly seen: readonly Seen[];
  /** Distinct verdicts so far. */
  readonly revision: number;
  readonly detectedAt: number;
  readonly action: Verdict['action'];
  readonly guidance: Seen | null;
  /** With evidence: what was seen of the loop while it went on, and what was seen when it was over. */
  readonly evidence: Seen | null;
  readonly lastEvidence: Seen | null;
  /** The latest that is not a resolution: it describes the loop. */
  readonly loop: Seen | null;
  /** Of the first verdict: see {@link groupKey}. */
  readonly groupKey: string;
}

/** Adds a verdict. @returns undefined when the incident already knows it, or newer ones have taken its place. */
export function addVerdict(
  fold: IncidentFold | undefined,
  verdict: Verdict,
  arrivedAt: number,
): IncidentFold | undefined {
  const detectedAt = verdict.detectedAt ?? arrivedAt;
  const added: Seen = { verdict: { ...verdict, evidence: {} }, detectedAt };
  const full: Seen = { verdict, detectedAt };
  const before = fold?.seen ?? [];
  if (before.some((seen) => seen.verdict.id === verdict.id)) return undefined;
  const seen = [...before, added].sort(streamOrder);
  if (seen.length > KEPT_STEPS && seen.splice(1, 1)[0] === added) return undefined;
  const resolution = verdict.phase === 'resolved';
  const telling = Object.keys(verdict.evidence).length > 0;
  return {
    seen,
    revision: (fold?.revision ?? 0) + 1,
    detectedAt: Math.min(fold?.detectedAt ?? Infinity, added.detectedAt),
    action: stronger(fold?.action ?? 'none', verdict.action),
    guidance: verdict.guidance === undefined ? (fold?.guidance ?? null) : later(fold?.guidance, added),
    evidence: telling && !resolution ? later(fold?.evidence, full) : (fold?.evidence ?? null),
    lastEvidence: telling && resolution ? later(fold?.lastEvidence, full) : (fold?.lastEvidence ?? null),
    loop: resolution ? (fold?.loop ?? null) : later(fold?.loop, added),
    groupKey: fold === undefined || seen[0] === added ? groupKey(verdict) : fold.groupKey,
  };
}

/** The fold as lists show it. */
export function toRow(fold: IncidentFold): IncidentRow {
  const { first, latest } = ends(fold);
  const resolved = latest.phase === 'resolved';
  const loop = fold.loop?.verdict ?? latest;
  return {
    id: latest.incidentId,
    detector: latest.detector,
    kind: latest.kind,
    state: resolved ? 'resolved' : 'open',
    outcome: resolved ? (latest.outcome ?? 'ended') : null,
    sessionId: latest.sessionId,
    promptId: latest.promptId,
    agent: latest.agent,
    model: latest.model,
    backend: latest.backend,
    tenant: latest.tenant,
    tool: latest.tool,
    detectedAt: fold.detectedAt,
    openedAt: first.time,
    lastAt: latest.time,
    resolvedAt: resolved ? latest.time : null,
    count: latest.count,
    threshold: latest.threshold,
    windowMs: latest.windowMs,
    period: latest.period,
    confidence: latest.confidence,
    action: fold.action,
    // Of calls the resolution says it all again, with the final count; of text it says less than the loop did.
    reason: latest.tool === null ? loop.reason : latest.reason,
    cost: latest.cost,
    revision: fold.revision,
  };
}

/** The fold with everything there is to know. */
export function toIncident(fold: IncidentFold): Incident {
  const { latest } = ends(fold);
  return {
    ...toRow(fold),
    resolution: latest.phase === 'resolved' && fold.loop !== null ? latest.reason : null,
    guidance: fold.guidance?.verdict.guidance ?? null,
    evidence: evidenceOf(fold),
    verdicts: fold.seen.map(toStep),
    source: latest.source ?? null,
    preset: latest.preset,
    configHash: latest.configHash,
  };
}

/** The latest, unless a resolution has less to say than what was seen while the loop went on. */
function evidenceOf({ evidence, lastEvidence }: IncidentFold): Verdict['evidence'] {
  const during = evidence?.verdict.evidence ?? {};
  const after = lastEvidence?.verdict.evidence ?? {};
  return Object.keys(during).every((name) => name in after) ? after : during;
}

function toStep({ verdict, detectedAt }: Seen): IncidentStep {
  const { id, phase, action, count, time, eventIndex } = verdict;
  return { id, phase, action, count, time, detectedAt, eventIndex };
}

/** The first and the latest verdict; a fold has at least one. */
export function ends({ seen }: IncidentFold): { first: Verdict; latest: Verdict } {
  const first = seen[0];
  const latest = seen.at(-1);
  if (first === undefined || latest === undefined) throw new Error('An incident has at least one verdict');
  return { first: first.verdict, latest: latest.verdict };
}

/** The order in which one session produced its verdicts; the id makes it total. */
function streamOrder(a: Seen, b: Seen): number {
  return (
    a.verdict.eventIndex - b.verdict.eventIndex ||
    phaseRank[a.verdict.phase] - phaseRank[b.verdict.phase] ||
    compareText(a.verdict.id, b.verdict.id)
  );
}

export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function later(known: Seen | null | undefined, added: Seen): Seen {
  return known == null || streamOrder(known, added) < 0 ? added : known;
}

function stronger(a: Verdict['action'], b: Verdict['action']): Verdict['action'] {
  return actionRank[a] >= actionRank[b] ? a : b;
}
