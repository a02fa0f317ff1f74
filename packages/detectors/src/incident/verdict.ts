import type { Cost, DetectorId, EvidenceOf, ThresholdOrigin, Verdict } from '@loopwatch/contract';
import type { Mark } from '../calls/mark.ts';
import { sha256 } from '../lib/digest.ts';
import { roundUsd } from '../lib/round-usd.ts';
import {
  NOT_STORED,
  type Presentation,
  type Privacy,
  presentable,
  presentableText,
  SecretMask,
  withoutRests,
} from '../privacy/mask.ts';
import type { Finding } from './finding.ts';

/** What a session's events say of it besides their meaning; each holds until another is said. */
export interface Labels {
  readonly promptId: string | null;
  readonly model: string | null;
  readonly backend: string | null;
  readonly agent: string | null;
  readonly tenant: string | null;
  /** Absent where none was said, as are tags. */
  readonly agentVersion?: string;
  readonly tags?: Readonly<Record<string, string>>;
}

/** Who and where: what a verdict says of the session and the event it was found at. */
export interface Scene extends Labels {
  readonly sessionId: string;
  /** The session before the event, and after it. */
  readonly before: Mark;
  readonly after: Mark;
}

/** A verdict without what only the edge knows: when it was detected, and where the events lie. */
export type PureVerdict = { readonly [D in DetectorId]: VerdictOf<D> }[DetectorId];

interface VerdictOf<D extends DetectorId>
  extends Omit<Verdict, 'detectedAt' | 'source' | 'detector' | 'evidence'> {
  detector: D;
  evidence: EvidenceOf<D>;
}

const MAX_REASON_UNITS = 1000;

/** The part of the settings that a verdict is written by. */
export interface VerdictSettings {
  readonly preset: string;
  /** Of the settings that decide verdicts; two runs with the same hash conclude the same. */
  readonly configHash: string;
  readonly privacy: Privacy;
}

/** The id of the incident that this finding opens. */
export function incidentId(finding: Finding, scene: Scene): string {
  return `i-${hash(['incident', ...identity(finding, scene)])}`;
}

/** A finding as a verdict. Ids are hashes of the input alone, so that every run gives the same. */
export function toVerdict(
  finding: Finding,
  scene: Scene,
  incident: string,
  plan: VerdictSettings,
  origin: ThresholdOrigin,
): PureVerdict {
  const { before } = scene;
  const { privacy } = plan;
  const { since } = finding;
  const verdict: VerdictOf<DetectorId> = {
    v: 1,
    id: `v-${hash([finding.phase, ...identity(finding, scene)])}`,
    incidentId: incident,
    phase: finding.phase,
    kind: finding.kind ?? 'loop',
    detector: finding.detector,
    action: finding.action,
    ...(finding.outcome !== undefined && { outcome: finding.outcome }),
    sessionId: scene.sessionId,
    promptId: scene.promptId,
    eventId: before.eventId,
    eventIndex: before.eventIndex,
    time: before.time,
    count: finding.count,
    threshold: finding.threshold,
    thresholdOrigin: origin,
    windowMs: finding.windowMs,
    period: finding.period,
    confidence: finding.confidence ?? 1,
    ...textsOf(finding, privacy),
    began: { eventIndex: since.eventIndex, eventId: since.eventId, time: since.time },
    cost: costSince(finding, scene.after),
    model: scene.model,
    backend: scene.backend,
    agent: scene.agent,
    tenant: scene.tenant,
    ...(scene.agentVersion !== undefined && { agentVersion: scene.agentVersion }),
    ...(scene.tags !== undefined && { tags: scene.tags }),
    preset: plan.preset,
    configHash: plan.configHash,
  };
  // A finding has the evidence of its detector: see Account.
  return verdict as PureVerdict;
}

/** All that was written by the agent and its tools, or quotes it, as it may leave. */
function textsOf(
  finding: Finding,
  { mask, storeText }: Privacy,
): Pick<VerdictOf<DetectorId>, 'tool' | 'reason' | 'countAt' | 'guidance' | 'evidence'> {
  const secrets = new SecretMask(mask);
  const presentation: Presentation = { secrets, storeText };
  const { tool, guidance } = finding;
  const texts = {
    tool: tool && {
      name: presentableText(tool.name, 256, presentation),
      signature: storeText
        ? presentableText(tool.signature, 2000, presentation)
        : `${tool.name}:${NOT_STORED}`,
    },
    // Guidance repeats what was attempted.
    ...(guidance !== undefined && storeText && { guidance: presentableText(guidance, 4000, presentation) }),
    evidence: presentable(finding.evidence, presentation),
  };
  const reason = reasonOf(finding, presentation);
  return { ...withoutRests(texts, secrets), ...reason };
}

/** The reason as it may leave, and where it says the count. */
function reasonOf(finding: Finding, presentation: Presentation): Pick<Verdict, 'reason' | 'countAt'> {
  const { reason, plainReason = reason, count } = finding;
  const { secrets, storeText } = presentation;
  const told = storeText ? reason : plainReason;
  const at = storeText ? finding.countAt : finding.plainCountAt;
  const shownOf = (text: string) =>
    withoutRests(presentableText(text, MAX_REASON_UNITS, presentation), secrets);
  const shown = shownOf(told);
  if (at === undefined) return { reason: shown };
  // What is masked before it may be longer or shorter than what was written.
  const countAt = shownOf(told.slice(0, at)).length;
  return shown.startsWith(String(count), countAt) ? { reason: shown, countAt } : { reason: shown };
}

/** What the loop has used since it began. @param after the session behind the event at hand */
export function costSince(
  { since, calls }: { readonly since: Mark; readonly calls?: number | undefined },
  after: Mark,
): Cost {
  return {
    calls: calls ?? after.calls - since.calls,
    // The turn in which the loop began counts too, where turns are reported at all.
    turns: after.turns - since.turns + (since.turns === 0 ? 0 : 1),
    characters: after.characters - since.characters,
    ...usageSince(since, after),
    ms: Math.max(0, after.time - since.time),
  };
}

/** @param since of a state that an earlier version saved, it knows of no money */
function usageSince(since: Mark, after: Mark): Pick<Cost, 'tokens' | 'cachedTokens' | 'usd'> {
  if (after.usageReports === since.usageReports) return { tokens: null };
  const before: Partial<Mark> = since;
  return {
    tokens: after.tokens - since.tokens,
    cachedTokens: after.cachedTokens - (before.cachedTokens ?? 0),
    usd:
      after.unpricedReports === (before.unpricedReports ?? 0)
        ? roundUsd(after.usd - (before.usd ?? 0))
        : null,
  };
}

function identity(finding: Finding, scene: Scene): (string | number)[] {
  const { eventId, time } = scene.before;
  const place = finding.at === undefined ? [] : [finding.at];
  return [scene.sessionId, finding.detector, finding.key, eventId, time, ...place];
}

/** 128 bits of SHA-256 over the parts, each unambiguous by JSON. */
function hash(parts: readonly (string | number)[]): string {
  return sha256(JSON.stringify(parts), 32);
}
