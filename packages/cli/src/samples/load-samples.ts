import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentEvent } from '@loopwatch/contract';
import { decodeEvent } from '@loopwatch/contract/check';
import { UsageError } from '../errors.ts';

/** One recorded session. */
export interface Sample {
  readonly name: string;
  readonly sessionId: string;
  readonly events: readonly AgentEvent[];
}

const SUFFIX = '.events.jsonl';
/** Played first, so that a fresh start has something to show at once. */
const FIRST = ['content-chant', 'tool-repeat-read-file', 'polling-progress', 'polling-never-changes'];

/** Reads the recorded sessions of a folder, one per file. */
export function loadSamples(dir: string): Sample[] {
  const names = readdirSync(dir)
    .filter((file) => file.endsWith(SUFFIX))
    .map((file) => file.slice(0, -SUFFIX.length));
  const rest = names.filter((name) => !FIRST.includes(name));
  return [...FIRST.filter((name) => names.includes(name)), ...rest].map((name) => loadSample(dir, name));
}

function loadSample(dir: string, name: string): Sample {
  const file = join(dir, name + SUFFIX);
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  let sessionId = name;
  const events = lines.map((line, i) => {
    const decoded = decodeEvent({ text: line, key: null });
    if (!decoded.ok) throw new UsageError(`${file}:${String(i + 1)}: ${decoded.message}`);
    sessionId = decoded.sessionId;
    return decoded.event;
  });
  return { name, sessionId, events };
}
