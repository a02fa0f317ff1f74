import type { Cost, ThresholdOrigin, Verdict } from '@loopwatch/contract';
import type { Mark } from '../calls/mark.ts';
import { sha256 } from '../lib/sha256.ts';
import type { Privacy } from '../privacy/privacy.ts';
import { NOT_STORED, presentable, presentableText } from './evidence.ts';
import type { Finding } from './finding.ts';
import type { Labels } from './session-labels.ts';

/** Who and where: what a verdict says of the session and the event it was found at. */
export interface Scene extends Labels {
  readonly sessionId: string;
  /** The session before the event, and after it. */
  readonly before: Mark;
  readonly after: Mark;
}

/** A verdict without what only the edge knows: when it was detected, and where the events lie. */
export type PureVerdict = Omit<Verdict, 'detectedAt' | 'source'>;

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
  return {
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
    tool: finding.tool && {
      name: presentableText(finding.tool.name, 256, privacy),
      signature: privacy.storeText
        ? presentableText(finding.tool.signature, 2000, privacy)
        : `${finding.tool.name}:${NOT_STORED}`,
    },
    ...reasonOf(finding, privacy),
    began: { eventIndex: since.eventIndex, eventId: since.eventId, time: since.time },
    // Guidance repeats what was attempted.
    ...(finding.guidance !== undefined &&
      privacy.storeText && { guidance: presentableText(finding.guidance, 4000, privacy) }),
    evidence: presentable(finding.evidence, privacy),
    cost: costSince(finding, scene.after),
    model: scene.model,
    backend: scene.backend,
    agent: scene.agent,
    tenant: scene.tenant,
    preset: plan.preset,
    configHash: plan.configHash,
  };
}

/** The reason as it may leave, and where it says the count. */
function reasonOf(finding: Finding, privacy: Privacy): Pick<Verdict, 'reason' | 'countAt'> {
  const { reason, plainReason = reason, count } = finding;
  const told = privacy.storeText ? reason : plainReason;
  const at = privacy.storeText ? finding.countAt : finding.plainCountAt;
  const shown = presentableText(told, MAX_REASON_UNITS, privacy);
  if (at === undefined) return { reason: shown };
  // What is masked before it may be longer or shorter than what was written.
  const countAt = presentableText(told.slice(0, at), MAX_REASON_UNITS, privacy).length;
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
    tokens: after.usageReports === since.usageReports ? null : after.tokens - since.tokens,
    ms: Math.max(0, after.time - since.time),
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
