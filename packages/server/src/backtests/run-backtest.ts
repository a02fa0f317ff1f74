import { setImmediate as turn } from 'node:timers/promises';
import { type DetectorId, isOpenAfter, ruleOf, strongerAction } from '@loopwatch/contract';
import type { BacktestHit, BacktestResult } from '@loopwatch/contract/api';
import type { PureVerdict } from '@loopwatch/detectors';
import { type Detection, SessionAnalyzer } from '@loopwatch/detectors/internal';
import type { RecordReader } from '@loopwatch/log';
import { recordedSessions } from './recorded-sessions.ts';
import type { SelectedSession } from './select-sessions.ts';

export interface Variant {
  readonly name: string;
  readonly detection: Detection;
}

export interface BacktestRun {
  readonly reader: RecordReader;
  readonly sessions: readonly SelectedSession[];
  readonly variants: readonly Variant[];
  readonly signal: AbortSignal;
  readonly onProgress: (progress: { done: number; events: number }) => void;
}

/** How long one slice of work may block the event loop. */
const SLICE_MS = 15;

interface HitOfKind {
  readonly hit: BacktestHit;
  readonly kind: PureVerdict['kind'];
}

interface OpenSession {
  readonly analyzers: readonly SessionAnalyzer[];
  /** By variant, then by incident. */
  readonly hits: readonly Map<string, HitOfKind>[];
  events: number;
}

interface FinishedSession {
  readonly result: BacktestResult['sessions'][number];
  /** Whether a loop was found, by variant. */
  readonly loops: readonly boolean[];
}

type Label = FinishedSession['result']['label'];

/** Runs recorded sessions under several settings. @throws the signal's reason when cancelled */
export async function runBacktest(run: BacktestRun): Promise<BacktestResult> {
  const { reader, sessions, variants, signal, onProgress } = run;
  const selected = new Map(sessions.map((session) => [session.sessionId, session]));
  const open = new Map<string, OpenSession>();
  const results: FinishedSession[] = [];
  const missing: string[] = [];
  let events = 0;
  let sliceEnd = performance.now() + SLICE_MS;
  for await (const one of recordedSessions(reader, sessions, signal)) {
    if ('ended' in one) {
      const { sessionId } = one.ended;
      const done = open.get(sessionId);
      open.delete(sessionId);
      if (done === undefined) missing.push(sessionId);
      else results.push(resultOf(selected.get(sessionId), done, one.complete));
      onProgress({ done: results.length + missing.length, events });
    } else {
      const state = open.get(one.session.sessionId) ?? begin(one.session.sessionId, variants);
      open.set(one.session.sessionId, state);
      events += 1;
      state.events += 1;
      state.analyzers.forEach((analyzer, index) => {
        for (const verdict of analyzer.push(one.event, one.timestamp).verdicts)
          recordHit(state.hits[index], verdict);
      });
    }
    if (performance.now() < sliceEnd) continue;
    onProgress({ done: results.length + missing.length, events });
    await turn();
    signal.throwIfAborted();
    sliceEnd = performance.now() + SLICE_MS;
  }
  return {
    variants: variants.map((variant, index) => variantResult(variant, index, results)),
    sessions: results.map(({ result }) => result),
    missing,
  };
}

function begin(sessionId: string, variants: readonly Variant[]): OpenSession {
  return {
    analyzers: variants.map(({ detection }) => new SessionAnalyzer(sessionId, detection)),
    hits: variants.map(() => new Map()),
    events: 0,
  };
}

function recordHit(hits: OpenSession['hits'][number] | undefined, verdict: PureVerdict): void {
  const { incidentId, detector, evidence, eventIndex, count, action, reason, kind } = verdict;
  const known = hits?.get(incidentId);
  if (known === undefined) {
    const hit = { detector, rule: ruleOf(evidence), eventIndex, count, action, reason };
    hits?.set(incidentId, { hit, kind });
  } else if (isOpenAfter(verdict)) {
    hits?.set(incidentId, {
      ...known,
      hit: {
        ...known.hit,
        action: strongerAction(known.hit.action, action),
        count: Math.max(known.hit.count, count),
      },
    });
  }
}

function resultOf(
  session: SelectedSession | undefined,
  { hits, events }: OpenSession,
  complete: boolean,
): FinishedSession {
  const found = hits.map((map) => [...map.values()]);
  return {
    result: {
      sessionId: session?.sessionId ?? '',
      label: session?.label ?? null,
      events,
      complete,
      hits: found.map((all) => all.map(({ hit }) => hit)),
    },
    loops: found.map((all) => all.some(({ kind }) => kind === 'loop')),
  };
}

function variantResult(
  { name, detection }: Variant,
  index: number,
  results: readonly FinishedSession[],
): BacktestResult['variants'][number] {
  const count = (label: Label, flagged: boolean): number =>
    results.filter(({ result, loops }) => result.label === label && loops[index] === flagged).length;
  const hits = results.flatMap(({ result }) => result.hits[index] ?? []);
  const byDetector: Partial<Record<DetectorId, number>> = {};
  for (const { detector } of hits) byDetector[detector] = (byDetector[detector] ?? 0) + 1;
  const [truePositives, falsePositives] = [count('loop', true), count('not_loop', true)];
  const [falseNegatives, trueNegatives] = [count('loop', false), count('not_loop', false)];
  return {
    name,
    configHash: detection.plan.configHash,
    incidents: hits.length,
    byDetector,
    flagged: results.filter(({ loops }) => loops[index] === true).length,
    truePositives,
    falsePositives,
    falseNegatives,
    trueNegatives,
    precision: share(truePositives, truePositives + falsePositives),
    recall: share(truePositives, truePositives + falseNegatives),
  };
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}
