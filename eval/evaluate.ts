import type { AgentEvent, PresetName } from '@loopwatch/contract';
import { createSessionAnalyzer, type PureVerdict } from '@loopwatch/detectors';
import type { Label } from './input.ts';

/** A rule's first finding in a session. */
export interface Hit {
  /** The detector, and the rule where it has several: `stagnation/same-error`. */
  readonly rule: string;
  readonly eventIndex: number;
}

/** By session: the loops that were reported, the first of each rule; sessions without any are there too. */
export type Hits = ReadonlyMap<string, readonly Hit[]>;

/** Precision and recall leave out what is borderline; a share of nothing is `null`. */
export interface Score {
  readonly found: readonly string[];
  readonly missed: readonly string[];
  readonly falseAlarms: readonly string[];
  readonly precision: number | null;
  readonly recall: number | null;
}

export interface RuleScore extends Score {
  readonly rule: string;
  /** Labelled loops that no other rule found. */
  readonly alone: number;
  /** Median of the event's index at which it first fired, over all sessions that it flagged. */
  readonly firstIndex: number;
  readonly unlabelled: number;
}

export interface Evaluation extends Score {
  readonly preset: PresetName;
  readonly hits: Hits;
  readonly sessions: number;
  readonly unlabelled: number;
  readonly flagged: readonly string[];
  readonly rules: readonly RuleScore[];
}

/** Runs all presets over the same events, each session with an analyzer of its own. */
export async function runPresets(
  presets: readonly PresetName[],
  events: AsyncIterable<AgentEvent & { readonly sessionId: string }>,
): Promise<Map<PresetName, Hits>> {
  const runs = presets.map((preset) => ({
    preset,
    sessions: new Map<string, ReturnType<typeof createSessionAnalyzer>>(),
    hits: new Map<string, Hit[]>(),
  }));
  for await (const event of events) {
    for (const { preset, sessions, hits } of runs) {
      let session = sessions.get(event.sessionId);
      if (session === undefined) {
        session = createSessionAnalyzer({ preset });
        sessions.set(event.sessionId, session);
        hits.set(event.sessionId, []);
      }
      for (const verdict of session.push(event)) note(hits.get(event.sessionId) ?? [], verdict);
    }
  }
  return new Map(runs.map(({ preset, hits }) => [preset, hits]));
}

function note(hits: Hit[], { kind, phase, detector, evidence, eventIndex }: PureVerdict): void {
  if (kind !== 'loop' || phase !== 'opened') return;
  const rule = typeof evidence['rule'] === 'string' ? `${detector}/${evidence['rule']}` : detector;
  if (hits.every((hit) => hit.rule !== rule)) hits.push({ rule, eventIndex });
}

/** Holds what a preset reported against the labels. */
export function evaluate(preset: PresetName, hits: Hits, labels: ReadonlyMap<string, Label>): Evaluation {
  const flagged = [...hits].filter(([, found]) => found.length > 0).map(([session]) => session);
  const rules = [...new Set([...hits.values()].flat().map(({ rule }) => rule))].toSorted();
  return {
    preset,
    hits,
    sessions: hits.size,
    unlabelled: [...hits.keys()].filter((session) => !labels.has(session)).length,
    flagged: flagged.filter((session) => !labels.has(session)),
    ...score(new Set(flagged), hits, labels),
    rules: rules.map((rule) => scoreRule(rule, hits, labels)),
  };
}

function scoreRule(rule: string, hits: Hits, labels: ReadonlyMap<string, Label>): RuleScore {
  const own = [...hits].flatMap(([session, found]) => {
    const hit = found.find((other) => other.rule === rule);
    return hit === undefined ? [] : [{ session, alone: found.length === 1, index: hit.eventIndex }];
  });
  const flagged = new Set(own.map(({ session }) => session));
  const indices = own.map(({ index }) => index).toSorted((a, b) => a - b);
  return {
    rule,
    ...score(flagged, hits, labels),
    alone: own.filter(({ session, alone }) => alone && labels.get(session) === 'loop').length,
    firstIndex: indices[Math.floor((indices.length - 1) / 2)] ?? 0,
    unlabelled: own.filter(({ session }) => !labels.has(session)).length,
  };
}

function score(flagged: ReadonlySet<string>, hits: Hits, labels: ReadonlyMap<string, Label>): Score {
  const ofLabel = (wanted: Label): string[] =>
    [...labels]
      .filter(([session, label]) => label === wanted && hits.has(session))
      .map(([session]) => session);
  const loops = ofLabel('loop');
  const found = loops.filter((session) => flagged.has(session));
  const falseAlarms = ofLabel('not_loop').filter((session) => flagged.has(session));
  return {
    found,
    missed: loops.filter((session) => !flagged.has(session)),
    falseAlarms,
    precision: share(found.length, found.length + falseAlarms.length),
    recall: share(found.length, loops.length),
  };
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}
