import {
  type Incident,
  type IncidentRow,
  type IncidentStep,
  isOpenAfter,
  reasonWithCount,
  strongerAction,
  type Verdict,
} from '@loopwatch/contract';
import { groupKey } from './group-key.ts';
import { currentFigures, type IncidentFigures } from './latest-figures.ts';

/**
 * One incident as the fold of its verdicts. Each field is taken from an extreme verdict (the first, the latest, the
 * strongest), never from "the one that came last": so verdicts that arrive twice or late change nothing they should not.
 */

/** Steps of an incident that are kept: the first and the latest. */
export const KEPT_STEPS = 32;

const phaseRank = { opened: 0, escalated: 1, resolved: 2 } as const;

/** Where a verdict stands in its session's stream; the id makes the order total. */
type Place = Pick<Verdict, 'eventIndex' | 'phase' | 'id'>;

/** What the latest verdict that has such a thing said. */
interface Positioned<T> {
  readonly at: Place;
  readonly value: T;
}

/** A reason, and where it says the count. */
interface PositionedReason extends Positioned<string> {
  readonly countAt?: number | undefined;
}

/** Small, since it is rewritten with each verdict: nothing that is large is in it twice. */
export type IncidentFold = FoldedRow & FoldedEvidence;

/** What lists need of an incident. */
export interface FoldedRow {
  /** In the order of the stream; the first, then the latest. */
  readonly seen: readonly IncidentStep[];
  /** The last of them in full, but for what is kept below. */
  readonly latest: Omit<Verdict, 'evidence' | 'guidance'>;
  /** Distinct verdicts so far. */
  readonly revision: number;
  readonly detectedAt: number;
  readonly action: Verdict['action'];
  readonly guidance: Positioned<string> | null;
  /** The latest reason that is not a resolution's: it describes the loop. */
  readonly loopReason: PositionedReason | null;
  /** Of the first verdict: see {@link groupKey}. */
  readonly groupKey: string;
}

/** What was seen of the loop while it went on, and what was seen when it was over. */
export interface FoldedEvidence {
  readonly evidence: Positioned<Verdict['evidence']> | null;
  readonly lastEvidence: Positioned<Verdict['evidence']> | null;
}

/**
 * Adds a verdict. @returns undefined when the incident already knows it, or newer ones have taken its place
 *
 * @param arrivedAt the record's timestamp, epoch ms: when it was noticed, unless it says so itself
 */
export function addVerdict(
  fold: IncidentFold | undefined,
  verdict: Verdict,
  arrivedAt: number,
): IncidentFold | undefined {
  const { id, phase, action, count, time, eventIndex, detectedAt = arrivedAt } = verdict;
  const added: IncidentStep = { id, phase, action, count, time, detectedAt, eventIndex };
  const before = fold?.seen ?? [];
  if (before.some((step) => step.id === id)) return undefined;
  const seen = [...before, added].sort(streamOrder);
  if (seen.length > KEPT_STEPS && seen.splice(1, 1)[0] === added) return undefined;
  const { evidence, guidance, ...latest } = verdict;
  const said = <T>(value: T): Positioned<T> => ({ at: { eventIndex, phase, id }, value });
  const resolution = !isOpenAfter(verdict);
  const telling = Object.keys(evidence).length > 0;
  return {
    seen,
    latest: fold === undefined || seen.at(-1) === added ? latest : fold.latest,
    revision: (fold?.revision ?? 0) + 1,
    detectedAt: Math.min(fold?.detectedAt ?? Infinity, detectedAt),
    action: strongerAction(fold?.action ?? 'none', action),
    guidance: guidance === undefined ? (fold?.guidance ?? null) : later(fold?.guidance, said(guidance)),
    evidence: telling && !resolution ? later(fold?.evidence, said(evidence)) : (fold?.evidence ?? null),
    lastEvidence:
      telling && resolution ? later(fold?.lastEvidence, said(evidence)) : (fold?.lastEvidence ?? null),
    loopReason: resolution
      ? (fold?.loopReason ?? null)
      : later(fold?.loopReason, { ...said(verdict.reason), countAt: verdict.countAt }),
    groupKey: fold === undefined || seen[0] === added ? groupKey(verdict) : fold.groupKey,
  };
}

/** An incident as its verdicts have it; when its session was last active is for others to say. */
export type RowOfVerdicts = Omit<IncidentRow, 'lastActivityAt'>;

/** The fold as lists show it. @param told how it stands by its session's latest summary */
export function toRow(fold: FoldedRow, told?: IncidentFigures): RowOfVerdicts {
  const { latest } = fold;
  const standing = currentFigures(fold.latest, told);
  const resolved = !isOpenAfter(latest);
  const { reason, countAt } = reasonOf(fold);
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
    ...(latest.agentVersion !== undefined && { agentVersion: latest.agentVersion }),
    ...(latest.tags !== undefined && { tags: latest.tags }),
    tool: latest.tool,
    detectedAt: fold.detectedAt,
    openedAt: firstStep(fold).time,
    lastAt: standing?.lastAt ?? latest.time,
    resolvedAt: resolved ? latest.time : null,
    count: standing?.count ?? latest.count,
    threshold: latest.threshold,
    windowMs: latest.windowMs,
    period: latest.period,
    confidence: latest.confidence,
    action: fold.action,
    reason: reasonWithCount({ reason, countAt }, standing?.count ?? latest.count),
    ...(countAt !== undefined && { countAt }),
    ...(latest.began !== undefined && { began: latest.began }),
    cost: standing?.cost ?? latest.cost,
    revision: fold.revision,
  };
}

/**
 * What is said of the loop rather than of its end. Where the count cannot be put into it, the resolution of a loop of
 * calls says it all again, with the final count; of text it says less than the loop did.
 */
function reasonOf({ latest, loopReason }: FoldedRow): Pick<Verdict, 'reason' | 'countAt'> {
  if (loopReason === null || (latest.tool !== null && loopReason.countAt === undefined)) return latest;
  return { reason: loopReason.value, countAt: loopReason.countAt };
}

/** The fold with everything there is to know. */
export function toIncident(fold: IncidentFold, told?: IncidentFigures): Omit<Incident, 'lastActivityAt'> {
  const { latest } = fold;
  return {
    ...toRow(fold, told),
    ...(latest.thresholdOrigin !== undefined && { thresholdOrigin: latest.thresholdOrigin }),
    resolution: !isOpenAfter(latest) && fold.loopReason !== null ? latest.reason : null,
    guidance: fold.guidance?.value ?? null,
    evidence: evidenceOf(fold),
    verdicts: [...fold.seen],
    source: latest.source ?? null,
    preset: latest.preset,
    configHash: latest.configHash,
  };
}

/** The latest, unless a resolution has less to say than what was seen while the loop went on. */
function evidenceOf({ evidence, lastEvidence }: IncidentFold): Verdict['evidence'] {
  const during = evidence?.value ?? {};
  const after = lastEvidence?.value ?? {};
  return Object.keys(during).every((name) => name in after) ? after : during;
}

/** The first verdict; a fold has at least one. */
export function firstStep({ seen }: FoldedRow): IncidentStep {
  const [first] = seen;
  if (first === undefined) throw new Error('An incident has at least one verdict');
  return first;
}

/** The order in which one session produced its verdicts; the id makes it total. */
function streamOrder(a: Place, b: Place): number {
  return a.eventIndex - b.eventIndex || phaseRank[a.phase] - phaseRank[b.phase] || compareText(a.id, b.id);
}

export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function later<T extends { readonly at: Place }>(known: T | null | undefined, added: T): T {
  return known == null || streamOrder(known.at, added.at) < 0 ? added : known;
}
