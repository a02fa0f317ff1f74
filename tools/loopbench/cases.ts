import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { AgentEvent } from '@loopwatch/contract';
import { goldenEvents, parseGoldenCase } from '../../packages/detectors/test/golden-case.ts';

const root = join(import.meta.dirname, '../..');

/** A session with a label. The label was made without any detector's verdict. */
export interface Case {
  readonly set: string;
  readonly id: string;
  readonly isLoop: boolean;
  readonly events: readonly AgentEvent[];
}

/** All cases in this repository, set by set. */
export function* ownCases(): Generator<Case> {
  yield* samples();
  yield* shapes();
  yield* streams();
}

/** The recorded samples of this repository: some loop, the others only look as if they did. */
function* samples(): Generator<Case> {
  const manifest = JSON.parse(readFileSync(join(root, 'samples/manifest.json'), 'utf8')) as readonly {
    readonly file: string;
    readonly shows: string;
  }[];
  for (const { file, shows } of manifest) {
    const lines = readFileSync(join(root, 'samples', file), 'utf8')
      .trim()
      .split('\n');
    const events = lines.map((line) => JSON.parse(line) as AgentEvent);
    yield { set: 'samples', id: file.replace('.events.jsonl', ''), isLoop: shows === 'loop', events };
  }
}

/** Shapes that detectors often get wrong, and legitimate repetition. A shape is a loop if it expects a verdict of one. */
function* shapes(): Generator<Case> {
  for (const set of ['shapes', 'healthy']) {
    for (const file of readdirSync(join(root, 'golden', set)).toSorted()) {
      const golden = parseGoldenCase(readFileSync(join(root, 'golden', set, file), 'utf8'));
      const isLoop = golden.expected.some(({ detector }) => detector !== 'outage');
      yield { set, id: file.replace('.json', ''), isLoop, events: goldenEvents(golden) };
    }
  }
}

interface Stream {
  readonly sessionId: string;
  readonly loop: boolean | null;
  readonly chunks: readonly string[];
}

/** Answers of two small models as they streamed. They loop if the end compresses to less than 15 %; those between are left out. */
function* streams(): Generator<Case> {
  const text = gunzipSync(readFileSync(join(import.meta.dirname, 'data/small-models.jsonl.gz'))).toString();
  for (const line of text.trim().split('\n')) {
    const { sessionId, loop, chunks } = JSON.parse(line) as Stream;
    if (loop === null) continue;
    const events = chunks.map((chunk) => ({ type: 'content', text: chunk }));
    yield { set: 'small-model streams', id: sessionId, isLoop: loop, events };
  }
}
