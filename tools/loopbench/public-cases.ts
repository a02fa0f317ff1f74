import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentEvent } from '@loopwatch/contract';
import { type Label, readLabels } from '../eval/labels.ts';
import { readEvents } from '../eval/read-events.ts';
import { findSources } from '../eval/sources.ts';
import type { Case } from './cases.ts';
import { datasets } from './public-runs/datasets.ts';
import type { RunCache } from './public-runs/run-cache.ts';
import { publicRuns } from './public-runs/runs.ts';
import type { LeftOut } from './score-table.ts';

/** Public runs with a label in this repository. */
export interface PublicCases {
  readonly cases: AsyncGenerator<Case>;
  /** What is missing, once all cases were read. */
  readonly leftOut: () => LeftOut[];
}

/**
 * The runs that were fetched, and those in a folder of recorded events. Sessions that a reader found borderline are left out.
 *
 * @param folder need not exist
 */
export function publicCases(folder: string, cache: RunCache): PublicCases {
  const missing = labelledSessions();
  return { cases: casesIn(folder, cache, missing), leftOut: () => countBySet(missing) };
}

function labelledSessions(): Map<string, Label> {
  const folder = join(import.meta.dirname, '../eval/data/labels');
  const labels = readLabels(readdirSync(folder).map((file) => join(folder, file)));
  return new Map([...labels].filter(([, { verdict }]) => verdict !== 'borderline'));
}

async function* casesIn(folder: string, cache: RunCache, missing: Map<string, Label>): AsyncGenerator<Case> {
  const caseOf = (set: string, id: string, events: readonly AgentEvent[]): Case => {
    const isLoop = missing.get(id)?.verdict === 'loop';
    missing.delete(id);
    return { set, id, isLoop, events };
  };
  for (const run of publicRuns()) {
    if (missing.has(run.sessionId) && cache.has(run))
      yield caseOf(run.dataset, run.sessionId, cache.read(run));
  }
  if (!existsSync(folder)) return;
  for (const { name, files } of findSources(folder)) {
    const sessions = new Map<string, AgentEvent[]>();
    for (const file of files) {
      for await (const { sessionId, event } of readEvents(file)) {
        if (!missing.has(sessionId)) continue;
        const events = sessions.get(sessionId);
        if (events === undefined) sessions.set(sessionId, [event]);
        else events.push(event);
      }
    }
    for (const [id, events] of sessions) yield caseOf(name, id, events);
  }
}

function countBySet(missing: ReadonlyMap<string, Label>): LeftOut[] {
  const counts = new Map<string, number>();
  for (const { source = '' } of missing.values()) counts.set(source, (counts.get(source) ?? 0) + 1);
  return [...counts].map(([set, sessions]) => ({
    set,
    sessions,
    canBeFetched: Object.hasOwn(datasets, set),
  }));
}
