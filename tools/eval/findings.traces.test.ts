import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Evaluation } from './evaluate.ts';
import { type Finding, findingsOf, foundLoops, quietAlarms, readFindings } from './findings.ts';
import { readLabels } from './labels.ts';
import { evaluateAll } from './main.ts';
import { readOptions } from './options.ts';

const home = join(import.meta.dirname, 'data');
/** `npm run eval -- --write-found` refreshes it. */
const committed = readFindings(join(home, 'found.jsonl'));
let evaluations: Evaluation[];
let found: Finding[];

beforeAll(async () => {
  const options = readOptions([], home, process.env);
  evaluations = await evaluateAll(options, readLabels(options.labels));
  found = evaluations.flatMap(findingsOf);
}, 900_000);

describe('preset balanced on the recorded data', () => {
  it('balanced: still finds every known labelled loop', () => {
    const still = new Set(foundLoops(found));
    expect(foundLoops(committed).length).toBeGreaterThan(0);
    expect(foundLoops(committed).filter((session) => !still.has(session))).toEqual([]);
  });

  it('balanced: raises only known alarms in ordinary work', () => {
    const known = new Set(quietAlarms(committed));
    expect(quietAlarms(found).filter((alarm) => !known.has(alarm))).toEqual([]);
  });

  it('recorded data: has a session for each label', () => {
    expect(evaluations.flatMap(({ absent }) => absent)).toEqual([]);
  });
});
