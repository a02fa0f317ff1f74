import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { syntheticSessions } from './synthetic/index.ts';

const recorded = /\.events\.jsonl(?:\.gz)?$/;

/** One file of recorded events, one JSON text per event. */
export interface Recording {
  readonly name: string;
  readonly lines: readonly string[];
  readonly traffic: 'recorded' | 'synthetic';
}

/** A type and not an interface, so that it fits the contract's open objects. */
export type RecordedEvent = {
  readonly id: string;
  readonly sessionId: string;
  readonly time: number;
  readonly type: string;
  readonly text?: string;
};

/** The folder with the recordings of real agents, which are not part of the project. */
export function recordingsFolder(): string {
  return resolve(process.env['LOOPWATCH_SHARED_DATA'] || '../shared/data');
}

/** The recordings in a folder of the shared data; generated sessions with the same statistics if there is no such folder. */
export function recordings(kind: 'sessions' | 'trajectories'): Recording[] {
  const folder = join(recordingsFolder(), kind);
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => recorded.test(file)) : [];
  if (files.length === 0) return twins(kind);
  return files.toSorted().map((file) => {
    const bytes = readFileSync(join(folder, file));
    const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
    return {
      name: basename(file).replace(recorded, ''),
      lines: text.split('\n').filter((line) => line !== ''),
      traffic: 'recorded',
    };
  });
}

/** The generated sessions instead of the recordings. */
export function twins(kind: 'sessions' | 'trajectories'): Recording[] {
  return syntheticSessions(kind).map(({ name, events }) => ({
    name,
    lines: events.map((event) => JSON.stringify(event)),
    traffic: 'synthetic',
  }));
}

/** The same events with the text of responses in pieces of this many units, as models stream it. */
export function cut(lines: readonly string[], units: number): string[] {
  return lines.flatMap((line) => {
    const event = JSON.parse(line) as RecordedEvent;
    const { text, id, type } = event;
    if (type !== 'content' || text === undefined || text.length <= units) return [line];
    const pieces: string[] = [];
    for (let from = 0; from < text.length; from += units)
      pieces.push(
        JSON.stringify({ ...event, id: `${id}.${String(from)}`, text: text.slice(from, from + units) }),
      );
    return pieces;
  });
}
