import type { KnownEvent, OpenIncidentSummary } from '@loopwatch/contract';
import type { Finding, Labels } from '../incident/finding.ts';
import { slotOf } from '../incident/incident.ts';
import type { OpenIncidents } from '../incident/open-incidents.ts';
import { costSince, describe } from '../incident/verdict.ts';
import { wasteOf } from '../incident/waste.ts';
import { roundUsd } from '../lib/round-usd.ts';
import type { DetectionPlan } from '../plan/plan.ts';
import type { DetectorBank } from './detector-bank.ts';
import type { SessionTotals } from './session-account.ts';

/*
 * What can be told of a session besides its verdicts. The library tells none of it, and its bundle does not include it.
 */

/** A session at one event: what its reports are made from. */
export interface SessionState {
  readonly totals: SessionTotals;
  readonly labels: Labels;
  /** The beginnings of the prompts that a person wrote, one a line. */
  readonly prompts: string;
  readonly incidents: OpenIncidents;
  readonly bank: DetectorBank;
  readonly plan: DetectionPlan;
  /** Time of the newest event, epoch ms, and the caller's position of it. */
  readonly lastTime: number;
  readonly lastPosition: number;
}

/** A session's usage so far, its labels and its settings. */
export interface SessionAccount extends Omit<Labels, 'promptId'> {
  readonly events: number;
  /** Events of types unknown to this version. */
  readonly unknown: number;
  readonly prompts: number;
  readonly turns: number;
  readonly toolCalls: number;
  /** UTF-16 code units of answer and reasoning. */
  readonly characters: number;
  /** `null` if no usage was reported. */
  readonly tokens: { readonly input: number; readonly output: number; readonly cached: number } | null;
  /** US dollars; `null` if no usage was reported or a turn's model has no price. */
  readonly usd: number | null;
  /** The beginnings of the prompts that a person wrote, masked, one a line; absent without one. */
  readonly promptText?: string;
  readonly preset: string;
  readonly configHash: string;
}

export interface SessionReport {
  readonly account: SessionAccount;
  readonly incidents: readonly OpenIncidentSummary[];
  /** The caller's position of the newest event. */
  readonly lastPosition: number;
}

export function reportOf(state: SessionState): SessionReport {
  const { lastPosition } = state;
  return { account: accountOf(state), incidents: openIncidentSummaries(state), lastPosition };
}

export function accountOf({
  totals,
  labels: { promptId: _, ...labels },
  prompts,
  plan: { preset, configHash },
}: SessionState): SessionAccount {
  const { inputTokens, outputTokens, cachedTokens, usageReports, usd, unpricedReports } = totals;
  return {
    events: totals.events,
    unknown: totals.unknown,
    prompts: totals.prompts,
    turns: totals.turns,
    toolCalls: totals.calls,
    characters: totals.contentUnits + totals.thoughtUnits,
    tokens: usageReports === 0 ? null : { input: inputTokens, output: outputTokens, cached: cachedTokens },
    usd: usageReports === 0 || unpricedReports > 0 ? null : roundUsd(usd),
    ...labels,
    preset,
    configHash,
    ...(prompts !== '' && { promptText: prompts }),
  };
}

/** Summaries of the open incidents, including the last event. */
export function openIncidentSummaries(state: SessionState): OpenIncidentSummary[] {
  return summariesOf(state, () => state.bank.current());
}

/** The same without evidence, which takes most of the time. */
export function openIncidentFigures(state: SessionState): OpenIncidentSummary[] {
  return summariesOf(state, () => []);
}

/** Placeholder for taking a mark after all events. */
const NO_EVENT: KnownEvent = { type: 'turn_started' };
/** Evidence may be large, and a summary must fit into a record. */
const MAX_DESCRIBED = 4;

/** @param findings the incidents as they would be reported now */
function summariesOf(
  { totals, incidents, plan, lastTime, lastPosition }: SessionState,
  findings: () => readonly Finding[],
): OpenIncidentSummary[] {
  if (incidents.ids.length === 0) return [];
  const now = totals.mark(NO_EVENT, lastTime, lastPosition);
  const bySlot = new Map(findings().map((finding) => [slotOf(finding), finding]));
  let described = 0;
  return Array.from(incidents.coveredAt(now).entries).flatMap(([slot, { id, progress }]) => {
    if (progress === undefined) return [];
    const cost = costSince(progress, now);
    const { count, own, latest } = progress;
    const finding = latest && described < MAX_DESCRIBED ? bySlot.get(slot) : undefined;
    if (finding !== undefined) described += 1;
    return [
      {
        id,
        count,
        cost,
        ...(own !== undefined && { wasted: wasteOf(own, cost) }),
        ...(latest && finding && { latest: { ...latest, ...describe(finding, plan.privacy) } }),
      },
    ];
  });
}
