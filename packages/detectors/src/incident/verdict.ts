import {
  type Cost,
  type DetectionSettings,
  type DetectorId,
  type EvidenceOf,
  incidentTitle,
  type ThresholdOrigin,
  type Verdict,
} from '@loopwatch/contract';
import { detectionDefinition, parseSettings, valueAt } from '@loopwatch/contract/internal';
import type { Mark } from '../calls/mark.ts';
import { sha256 } from '../lib/digest.ts';
import { roundUsd } from '../lib/round-usd.ts';
import {
  NOT_STORED,
  type Presentation,
  type Privacy,
  presentable,
  presentableText,
  withoutRests,
} from '../privacy/presentable.ts';
import { SecretMask } from '../privacy/secret-mask.ts';
import { modelName } from '../settings/effective-settings.ts';
import { assignPath, type SessionOverrides } from '../settings/session-settings.ts';
import { callKeyOf } from './call-key.ts';
import type { Finding, IncidentProgress, Labels, Scene } from './finding.ts';
import { type OwnUse, wasteOf } from './waste.ts';

/** A verdict without the fields that only the caller knows: the detection time and the log position of the events. */
export type PureVerdict = { readonly [D in DetectorId]: VerdictOf<D> }[DetectorId];

interface VerdictOf<D extends DetectorId>
  extends Omit<Verdict, 'detectedAt' | 'source' | 'detector' | 'evidence'> {
  detector: D;
  evidence: EvidenceOf<D>;
}

const MAX_REASON_UNITS = 1000;

/** The settings that a verdict depends on. */
export interface VerdictSettings {
  readonly preset: string;
  /** Hash of the settings that decide verdicts; runs with the same hash reach the same verdicts. */
  readonly configHash: string;
  readonly privacy: Privacy;
}

/** The id of the incident that this finding opens. */
export function incidentId(finding: Finding, scene: Scene): string {
  return `i-${hash(['incident', ...identity(finding, scene)])}`;
}

/** Turns a finding into a verdict. Ids are hashes of the input alone, so that every run gives the same ids. */
export function toVerdict(
  finding: Finding,
  { wasted, until }: { readonly wasted?: OwnUse | undefined; readonly until?: Mark | undefined },
  scene: Scene,
  incident: string,
  plan: VerdictSettings,
  origin: ThresholdOrigin,
): PureVerdict {
  const { before } = scene;
  const { privacy } = plan;
  const { since } = finding;
  const callKey = callKeyOf(finding);
  const cost = costSince({ ...finding, until }, scene.after);
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
    ...(callKey !== undefined && { callKey }),
    ...textsOf(finding, privacy),
    began: { eventIndex: since.eventIndex, eventId: since.eventId, time: since.time },
    cost,
    ...(wasted !== undefined && { wasted: wasteOf(wasted, cost) }),
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

/** All fields that contain or quote text from the agent and its tools, masked and bounded. */
function textsOf(
  finding: Finding,
  { mask, storeText }: Privacy,
): Pick<VerdictOf<DetectorId>, 'tool' | 'title' | 'reason' | 'countAt' | 'guidance' | 'evidence'> {
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
    // Guidance quotes what was attempted.
    ...(guidance !== undefined && storeText && { guidance: presentableText(guidance, 4000, presentation) }),
    evidence: presentable(finding.evidence, presentation),
  };
  const shown = withoutRests(texts, secrets);
  const title = incidentTitle({ ...shown, detector: finding.detector, count: finding.count });
  return { ...shown, title, ...reasonOf(finding, presentation) };
}

/** What a summary tells of a loop that goes on. */
export function describe(
  finding: Finding,
  privacy: Privacy,
): Pick<VerdictOf<DetectorId>, 'title' | 'reason' | 'countAt' | 'evidence'> {
  const { title, reason, countAt, evidence } = textsOf(finding, privacy);
  return { title, reason, ...(countAt !== undefined && { countAt }), evidence };
}

/** The masked reason, and the index of the count in it. */
function reasonOf(finding: Finding, presentation: Presentation): Pick<Verdict, 'reason' | 'countAt'> {
  const { reason, plainReason = reason, count } = finding;
  const { secrets, storeText } = presentation;
  const text = storeText ? reason : plainReason;
  const at = storeText ? finding.countAt : finding.plainCountAt;
  const shownOf = (text: string) =>
    withoutRests(presentableText(text, MAX_REASON_UNITS, presentation), secrets);
  const shown = shownOf(text);
  if (at === undefined) return { reason: shown };
  // A mask that precedes the count may be longer or shorter than the original text.
  const countAt = shownOf(text.slice(0, at)).length;
  return shown.startsWith(String(count), countAt) ? { reason: shown, countAt } : { reason: shown };
}

/** The loop's usage since it started, and until it ended. @param now the session after the current event */
export function costSince(
  { since, until, calls }: Partial<IncidentProgress> & Pick<IncidentProgress, 'since'>,
  now: Mark,
): Cost {
  const after = until ?? now;
  // The turn in which the loop started counts too, if turns are reported at all; the one that ended it does not.
  const first = since.turns === 0 ? 0 : 1;
  const turns = after.turns - since.turns;
  return {
    calls: calls ?? Math.max(0, after.calls - since.calls),
    turns: until === undefined ? turns + first : Math.max(turns, first),
    characters: after.characters - since.characters,
    ...usageSince(since, after),
    ms: Math.max(0, after.time - since.time),
  };
}

function usageSince(since: Mark, after: Mark): Pick<Cost, 'tokens' | 'cachedTokens' | 'usd'> {
  if (after.usageReports === since.usageReports) return { tokens: null };
  return {
    tokens: after.tokens - since.tokens,
    cachedTokens: after.cachedTokens - since.cachedTokens,
    usd: after.unpricedReports === since.unpricedReports ? roundUsd(after.usd - since.usd) : null,
  };
}

function identity(finding: Finding, scene: Scene): (string | number)[] {
  const { eventId, time } = scene.before;
  const place = finding.at === undefined ? [] : [finding.at];
  return [scene.sessionId, finding.detector, finding.key, eventId, time, ...place];
}

/** 128 bits of SHA-256 over the parts, delimited by JSON. */
function hash(parts: readonly (string | number)[]): string {
  return sha256(JSON.stringify(parts), 32);
}

const DEFAULTS = parseSettings(detectionDefinition, {});
/** Alternative name in a model's settings. */
const OLDER_NAME = 'tool_loop_detection_max_repeats';

/** The settings of a session's tiers; the narrowest wins. */
interface SettingTiers {
  readonly session: SessionOverrides;
  readonly model: Readonly<Record<string, unknown>> | undefined;
  readonly server: DetectionSettings;
}

/**
 * The origin of a finding's threshold: the setting, and who set it.
 *
 * @param server the server's settings
 * @param session the session's own
 */
export function thresholdOrigin(
  { thresholdOf: { setting, value, adjustments = [] }, tool }: Finding,
  labels: Labels,
  server: DetectionSettings,
  session: SessionOverrides,
): ThresholdOrigin {
  const { models } = server.overrides;
  const name = Object.keys(models).length === 0 ? null : modelName(labels);
  const model = name !== null && Object.hasOwn(models, name) ? models[name] : undefined;
  const tiers: SettingTiers = { session, model, server };
  const keys = setting.split('.');
  const ofTool = tool === null ? undefined : [keys[0] ?? '', 'per_tool', tool.name, ...keys.slice(1)];
  const own = ofTool === undefined ? undefined : scopeOf(ofTool, tiers);
  if (ofTool !== undefined && own !== undefined)
    return { setting: ofTool.join('.'), value, scope: own, adjustments: [...adjustments] };
  return { setting, value, scope: scopeOf(keys, tiers) ?? 'preset', adjustments: [...adjustments] };
}

/** The narrowest tier that sets the path; undefined if none does. */
function scopeOf(
  keys: readonly string[],
  { session, model, server }: SettingTiers,
): ThresholdOrigin['scope'] | undefined {
  const overrides: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(session)) assignPath(overrides, path.split('.'), value);
  if (valueAt(overrides, keys) !== undefined) return 'session';
  const older = keys.join('.') === 'tool_call_loop.max_repeats' ? model?.[OLDER_NAME] : undefined;
  if ((valueAt(model, keys) ?? older) !== undefined) return 'model';
  const set = valueAt(server, keys);
  return set === undefined || set === valueAt(DEFAULTS, keys) ? undefined : 'server';
}
