import {
  argumentsOf,
  type Cost,
  happenedAt,
  type Incident,
  type IncidentRow,
  type IncidentStep,
  incidentTitle,
  isOpenAfter,
  reasonWithCount,
  strongerAction,
  titleWithCount,
  type Verdict,
  type Waste,
} from '@loopwatch/contract';
import { groupKey } from './group-key.ts';
import { currentFigures, type IncidentFigures } from './latest-figures.ts';

/**
 * Folds verdicts into an incident. Each field comes from an extreme verdict (the first, the latest, the strongest), never from
 * the last one that arrived, so that duplicate and late verdicts do no harm.
 */

/** Steps of an incident to keep: the first, then the latest. */
const KEPT_STEPS = 32;

const phaseRank = { opened: 0, escalated: 1, resolved: 2 } as const;

/** The position of a verdict in its session's stream; the id makes the order total. */
type StreamPosition = Pick<Verdict, 'eventIndex' | 'phase' | 'id'>;

/** A value with the position of the verdict that it comes from. */
interface Positioned<T> {
  readonly at: StreamPosition;
  readonly value: T;
}

/** A reason, the position of the count in it, and the title beside it. */
interface PositionedReason extends Positioned<string> {
  readonly title?: string | undefined;
  readonly countAt?: number | undefined;
}

/** The stored state of an incident. It is rewritten with each verdict, so nothing large is in it twice. */
export type IncidentFold = FoldedRow & FoldedEvidence;

/** The part that lists need. */
export interface FoldedRow {
  /** In stream order: the first, then the latest. */
  readonly verdicts: readonly IncidentStep[];
  /** The last of them, without the fields that are kept separately. */
  readonly latest: Omit<Verdict, 'evidence' | 'guidance'>;
  /** Distinct verdicts so far. */
  readonly revision: number;
  /** When it was detected; the time of the event if that was history by then. */
  readonly detectedAt: number;
  readonly action: Verdict['action'];
  readonly guidance: Positioned<string> | null;
  /** The latest reason before the resolution: it describes the loop. */
  readonly loopReason: PositionedReason | null;
  /** Of the first verdict: see {@link groupKey}. */
  readonly groupKey: string;
}

/** Evidence while the loop was open, and evidence of its resolution. */
export interface FoldedEvidence {
  readonly evidence: Positioned<Verdict['evidence']> | null;
  readonly lastEvidence: Positioned<Verdict['evidence']> | null;
}

/**
 * Adds a verdict.
 *
 * @param arrivedAt the record's timestamp, epoch ms: the default of `detectedAt`
 * @returns undefined when the verdict is a duplicate, or is not kept
 */
export function addVerdict(
  fold: IncidentFold | undefined,
  verdict: Verdict,
  arrivedAt: number,
): IncidentFold | undefined {
  const { id, phase, action, count, time, eventIndex, detectedAt = arrivedAt } = verdict;
  const added: IncidentStep = { id, phase, action, count, time, detectedAt, eventIndex };
  const before = fold?.verdicts ?? [];
  if (before.some((step) => step.id === id)) return undefined;
  const seen = [...before, added].sort(streamOrder);
  if (seen.length > KEPT_STEPS && seen.splice(1, 1)[0] === added) return undefined;
  const { evidence, guidance, ...latest } = verdict;
  const positioned = <T>(value: T): Positioned<T> => ({ at: { eventIndex, phase, id }, value });
  const isResolution = !isOpenAfter(verdict);
  const hasEvidence = Object.keys(evidence).length > 0;
  return {
    verdicts: seen,
    latest: fold === undefined || seen.at(-1) === added ? latest : fold.latest,
    revision: (fold?.revision ?? 0) + 1,
    detectedAt: Math.min(fold?.detectedAt ?? Infinity, happenedAt(time, detectedAt)),
    action: strongerAction(fold?.action ?? 'none', action),
    guidance: guidance === undefined ? (fold?.guidance ?? null) : later(fold?.guidance, positioned(guidance)),
    evidence:
      hasEvidence && !isResolution ? later(fold?.evidence, positioned(evidence)) : (fold?.evidence ?? null),
    lastEvidence:
      hasEvidence && isResolution
        ? later(fold?.lastEvidence, positioned(evidence))
        : (fold?.lastEvidence ?? null),
    loopReason: isResolution
      ? (fold?.loopReason ?? null)
      : later(fold?.loopReason, {
          ...positioned(verdict.reason),
          countAt: verdict.countAt,
          title: verdict.title,
        }),
    groupKey: fold === undefined || seen[0] === added ? groupKey(verdict) : fold.groupKey,
  };
}

/** An incident as derived from its verdicts; the activity of its session is stored elsewhere. */
export type RowOfVerdicts = Omit<IncidentRow, 'lastActivityAt'>;

/** The fold in list form. @param figures from its session's latest summary */
export function toRow(fold: FoldedRow, figures?: IncidentFigures): RowOfVerdicts {
  const { latest } = fold;
  const { began } = latest;
  const current = currentFigures(fold.latest, figures);
  const resolved = !isOpenAfter(latest);
  const first = firstStep(fold);
  const openedAt = happenedAt(first.time, first.detectedAt);
  // Of a wrong clock, only differences are of use.
  const shift = openedAt - first.time;
  const lastAt = Math.max(openedAt, happenedAt(latest.time, lastStep(fold).detectedAt));
  const { reason, countAt } =
    current?.reason === undefined ? reasonOf(fold) : { reason: current.reason, countAt: current.countAt };
  const cost = current?.cost ?? latest.cost;
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
    ...(latest.callKey !== undefined && { callKey: latest.callKey }),
    detectedAt: fold.detectedAt,
    openedAt,
    lastAt: current?.lastAt ?? lastAt,
    lastIndex: current?.eventIndex ?? latest.eventIndex,
    resolvedAt: resolved ? lastAt : null,
    count: current?.count ?? latest.count,
    threshold: latest.threshold,
    windowMs: latest.windowMs,
    period: latest.period,
    confidence: latest.confidence,
    action: fold.action,
    title: titleWithCount(
      current?.title ?? fold.loopReason?.title ?? latest.title ?? incidentTitle(latest),
      current?.count ?? latest.count,
    ),
    arguments: argumentsOf(latest),
    reason: reasonWithCount({ reason, countAt }, current?.count ?? latest.count),
    ...(countAt !== undefined && { countAt }),
    ...(began !== undefined && { began: { ...began, time: happenedAt(began.time + shift, openedAt) } }),
    cost,
    ...(latest.kind === 'loop' && { wasted: current?.wasted ?? latest.wasted ?? wholeOf(cost) }),
    revision: fold.revision,
    source: latest.source ?? null,
  };
}

/** A loop of a version that did not tell its waste. */
function wholeOf({ calls, tokens, usd }: Cost): Waste {
  return { calls, tokens, ...(usd !== undefined && { usd }) };
}

/**
 * The reason that describes the loop rather than its end. When the final count cannot be inserted, the reason of the
 * resolution is used for loops of calls: it repeats everything with the final count. That of text loops says less.
 */
function reasonOf({ latest, loopReason }: FoldedRow): Pick<Verdict, 'reason' | 'countAt'> {
  if (loopReason === null || (latest.tool !== null && loopReason.countAt === undefined)) return latest;
  return { reason: loopReason.value, countAt: loopReason.countAt };
}

/** The fold with all details. */
export function toIncident(
  fold: IncidentFold,
  figures?: IncidentFigures,
  latestEvidence?: Verdict['evidence'],
): Omit<Incident, 'lastActivityAt'> {
  const { latest } = fold;
  return {
    ...toRow(fold, figures),
    ...(latest.thresholdOrigin !== undefined && { thresholdOrigin: latest.thresholdOrigin }),
    resolution: !isOpenAfter(latest) && fold.loopReason !== null ? latest.reason : null,
    guidance: fold.guidance?.value ?? null,
    evidence: latestEvidence ?? evidenceOf(fold),
    verdicts: [...fold.verdicts],
    preset: latest.preset,
    configHash: latest.configHash,
  };
}

/** The evidence of the resolution, unless it lacks fields that the open loop had. */
function evidenceOf({ evidence, lastEvidence }: IncidentFold): Verdict['evidence'] {
  const during = evidence?.value ?? {};
  const after = lastEvidence?.value ?? {};
  return Object.keys(during).every((name) => name in after) ? after : during;
}

/** The first verdict; a fold has at least one. */
export function firstStep({ verdicts }: Pick<FoldedRow, 'verdicts'>): IncidentStep {
  const [first] = verdicts;
  if (first === undefined) throw new Error('An incident has at least one verdict');
  return first;
}

function lastStep({ verdicts }: Pick<FoldedRow, 'verdicts'>): IncidentStep {
  return verdicts.at(-1) ?? firstStep({ verdicts });
}

/** The order in which a session produced its verdicts. */
function streamOrder(a: StreamPosition, b: StreamPosition): number {
  return a.eventIndex - b.eventIndex || phaseRank[a.phase] - phaseRank[b.phase] || compareText(a.id, b.id);
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function later<T extends { readonly at: StreamPosition }>(known: T | null | undefined, added: T): T {
  return known == null || streamOrder(known.at, added.at) < 0 ? added : known;
}
