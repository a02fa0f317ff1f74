import { type AgentEvent, type PresetName, ruleOf } from '@loopwatch/contract';
import { createSessionAnalyzer, type PureVerdict } from '@loopwatch/detectors';
import { readEvents } from './read-events.ts';
import type { Source } from './sources.ts';

/** A rule's first alarm in a session. */
export interface Hit {
  /** The detector, and the rule if it has several: `stagnation/same-error`. */
  readonly rule: string;
  readonly eventIndex: number;
  /** The session's latest tool call then, from 0; -1 before the first. */
  readonly callIndex: number;
}

/** Result of a preset for a session. */
export interface SessionRun {
  readonly source: string;
  readonly sessionId: string;
  readonly calls: number;
  /** Opened incidents of kind loop. */
  readonly alarms: number;
  readonly outages: number;
  /** In order of arrival. */
  readonly hits: readonly Hit[];
}

interface Watch {
  readonly analyzer: ReturnType<typeof createSessionAnalyzer>;
  readonly run: Writable<SessionRun> & { readonly hits: Hit[] };
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/**
 * Runs all presets over the same events, with separate analyzers for each session.
 *
 * @param progress is called at every event; it creates the text only when it prints it
 */
export async function runPresets(
  presets: readonly PresetName[],
  sources: readonly Source[],
  progress: (text: () => string) => void,
): Promise<Map<PresetName, SessionRun[]>> {
  const runs = new Map<PresetName, SessionRun[]>(presets.map((preset) => [preset, []]));
  for (const { name, files } of sources) {
    // A first pass finds each session's last event, so that its state can be freed there: only interleaved sessions are in memory.
    const left = new Map<string, number>();
    let events = 0;
    for await (const { sessionId } of readAll(files)) {
      left.set(sessionId, (left.get(sessionId) ?? 0) + 1);
      events += 1;
      progress(() => `${name}: ${String(events)} events counted`);
    }
    const open = new Map<string, Watch[]>();
    let done = 0;
    for await (const { sessionId, event } of readAll(files)) {
      let watches = open.get(sessionId);
      if (watches === undefined) {
        watches = presets.map((preset) => watch(preset, name, sessionId, runs));
        open.set(sessionId, watches);
      }
      for (const one of watches) push(one, event);
      const rest = (left.get(sessionId) ?? 1) - 1;
      left.set(sessionId, rest);
      if (rest === 0) open.delete(sessionId);
      done += 1;
      progress(() => `${name}: ${String(Math.floor((100 * done) / events))} % of ${String(events)} events`);
    }
  }
  return runs;
}

async function* readAll(files: readonly string[]): ReturnType<typeof readEvents> {
  for (const file of files) yield* readEvents(file);
}

function watch(
  preset: PresetName,
  source: string,
  sessionId: string,
  runs: ReadonlyMap<PresetName, SessionRun[]>,
): Watch {
  const run = { source, sessionId, calls: 0, alarms: 0, outages: 0, hits: [] };
  runs.get(preset)?.push(run);
  return { analyzer: createSessionAnalyzer({ preset }), run };
}

function push({ analyzer, run }: Watch, event: AgentEvent): void {
  if (event.type === 'tool_call_request') run.calls += 1;
  for (const verdict of analyzer.push(event)) {
    if (verdict.phase !== 'opened') continue;
    if (verdict.kind === 'outage') run.outages += 1;
    if (verdict.kind !== 'loop') continue;
    run.alarms += 1;
    const rule = nameOf(verdict);
    if (run.hits.every((hit) => hit.rule !== rule))
      run.hits.push({ rule, eventIndex: verdict.eventIndex, callIndex: run.calls - 1 });
  }
}

function nameOf({ detector, evidence }: PureVerdict): string {
  const rule = ruleOf(evidence);
  return rule === null ? detector : `${detector}/${rule}`;
}
