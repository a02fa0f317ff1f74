import type { PresetName } from '@loopwatch/contract';
import type { Labels, LabelVerdict } from './labels.ts';
import type { SessionRun } from './run-presets.ts';
import { type Outcome, outcomeOf, percentile, type Score, scoreOf, share } from './score.ts';

export interface SessionOutcome extends SessionRun {
  readonly verdict: LabelVerdict | null;
  readonly outcome: Outcome;
  /** Tool calls between the reader's verdict and the first alarm, below 0 if that came earlier; of found loops only. */
  readonly delay: number | null;
  /** The first alarm of a found loop came before the loop began, so it had a different cause. */
  readonly premature: boolean;
}

export interface SourceScore extends Score {
  readonly source: string;
  readonly sessions: number;
  readonly calls: number;
  readonly flagged: number;
  readonly alarms: number;
  readonly alarmsPer1000Calls: number | null;
  readonly outages: number;
  /** Percentiles of the sessions' delays. */
  readonly delay: { readonly p50: number | null; readonly p90: number | null };
}

export interface RuleScore extends Score {
  readonly rule: string;
  /** Labelled loops that no other rule found. */
  readonly alone: number;
  /** Median of the event's index at which it first fired, over all sessions that it flagged. */
  readonly firstIndex: number;
}

export interface Evaluation {
  readonly preset: PresetName;
  readonly sources: readonly SourceScore[];
  readonly all: SourceScore;
  readonly rules: readonly RuleScore[];
  /** Sessions with a label or an alarm. */
  readonly sessions: readonly SessionOutcome[];
  /** Labelled sessions that are not in the data. */
  readonly absent: readonly string[];
}

/**
 * Compares the results of a preset with the labels.
 *
 * @param sources the sources to report separately; labels of others are ignored. None: all sessions and labels count together
 */
export function evaluate(
  preset: PresetName,
  sources: readonly string[],
  runs: readonly SessionRun[],
  labels: Labels,
): Evaluation {
  const sessions = runs.map((run) => toOutcome(run, labels));
  const rules = [...new Set(runs.flatMap(({ hits }) => hits.map(({ rule }) => rule)))].toSorted();
  return {
    preset,
    sources: sources.map((source) =>
      scoreSource(
        source,
        sessions.filter((one) => one.source === source),
      ),
    ),
    all: scoreSource('all', sessions),
    rules: rules.map((rule) => scoreRule(rule, sessions)),
    sessions: sessions.filter(({ verdict, hits }) => verdict !== null || hits.length > 0),
    absent: absentFrom(runs, sources, labels),
  };
}

function toOutcome(run: SessionRun, labels: Labels): SessionOutcome {
  const { verdict = null, at, fromCall } = labels.get(run.sessionId) ?? {};
  const [first] = run.hits;
  const outcome = outcomeOf(verdict, first !== undefined);
  const alarmAt = outcome === 'found' ? first?.callIndex : undefined;
  return {
    ...run,
    verdict,
    outcome,
    delay: alarmAt === undefined || at == null ? null : alarmAt - at,
    premature: alarmAt !== undefined && fromCall != null && alarmAt < fromCall,
  };
}

function scoreSource(source: string, sessions: readonly SessionOutcome[]): SourceScore {
  const sum = (key: 'calls' | 'alarms' | 'outages') => sessions.reduce((total, one) => total + one[key], 0);
  const delays = sessions.flatMap(({ delay }) => delay ?? []);
  const perCall = share(sum('alarms'), sum('calls'));
  return {
    source,
    sessions: sessions.length,
    calls: sum('calls'),
    flagged: sessions.filter(({ hits }) => hits.length > 0).length,
    alarms: sum('alarms'),
    alarmsPer1000Calls: perCall === null ? null : perCall * 1000,
    outages: sum('outages'),
    ...scoreOf(sessions.map(({ outcome }) => outcome)),
    delay: { p50: percentile(delays, 0.5), p90: percentile(delays, 0.9) },
  };
}

function scoreRule(rule: string, sessions: readonly SessionOutcome[]): RuleScore {
  const hits = sessions.map((session) => ({ session, hit: session.hits.find((one) => one.rule === rule) }));
  const indices = hits.flatMap(({ hit }) => hit?.eventIndex ?? []);
  return {
    rule,
    ...scoreOf(hits.map(({ session, hit }) => outcomeOf(session.verdict, hit !== undefined))),
    alone: sessions.filter(
      ({ outcome, hits }) => outcome === 'found' && hits.length === 1 && hits[0]?.rule === rule,
    ).length,
    firstIndex: percentile(indices, 0.5) ?? 0,
  };
}

function absentFrom(runs: readonly SessionRun[], sources: readonly string[], labels: Labels): string[] {
  const present = new Set(runs.map(({ sessionId }) => sessionId));
  return [...labels.values()]
    .filter(({ source }) => source === undefined || sources.length === 0 || sources.includes(source))
    .flatMap(({ sessionId }) => (present.has(sessionId) ? [] : sessionId));
}
