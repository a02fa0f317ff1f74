import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BadInput } from './bad-input.ts';
import { type Evaluation, evaluate } from './evaluate.ts';
import { foundLines, foundLoops, foundOf, quietAlarms, readFound } from './found.ts';
import { type Labels, readLabels } from './labels.ts';
import { type Options, readOptions } from './options.ts';
import { report } from './report.ts';
import { runPresets } from './run-presets.ts';

/** The project's labels, and the list of what preset balanced finds. */
const ownHome = join(import.meta.dirname, 'data');

export interface Edge {
  readonly print: (text: string) => void;
  readonly complain: (text: string) => void;
  readonly progress?: (text: () => string) => void;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly home?: string;
}

/** @returns the exit code: 0, or 2 on bad input, which is named on stderr */
export async function main(args: readonly string[], edge: Edge): Promise<number> {
  const { print, complain, progress, environment = {}, home = ownHome } = edge;
  try {
    const options = readOptions(args, home, environment);
    const { json, flagged, writeFound } = options;
    const labels = readLabels(options.labels);
    if (writeFound) requireEverySource(options, labels);
    const evaluations = await evaluateAll(options, labels, progress);
    print(json ? `${JSON.stringify({ presets: evaluations })}\n` : report(evaluations, flagged));
    if (writeFound) complain(refreshFound(evaluations, join(home, 'found.jsonl')));
    return 0;
  } catch (error) {
    if (!(error instanceof BadInput)) throw error;
    complain(`${error.message}\n`);
    return 2;
  }
}

/** Evaluates each preset, all of them in one pass over the events. */
export async function evaluateAll(
  { sources, bySource, presets }: Options,
  labels: Labels,
  progress: (text: () => string) => void = () => {},
): Promise<Evaluation[]> {
  const runs = await runPresets(presets, sources, progress);
  const names = bySource ? sources.map(({ name }) => name) : [];
  const evaluations = [...runs].map(([preset, found]) => evaluate(preset, names, found, labels));
  if (evaluations.every(({ all }) => all.sessions === 0))
    throw new BadInput(`${sources.map(({ name }) => name).join(', ')}: no events`);
  return evaluations;
}

/** With part of the data, the list would lose the rest. */
function requireEverySource({ sources }: Options, labels: Labels): void {
  const labelled = new Set([...labels.values()].flatMap(({ source }) => source ?? []));
  for (const { name } of sources) labelled.delete(name);
  if (labelled.size > 0)
    throw new BadInput(`--write-found takes all recorded data; there is none of ${[...labelled].join(', ')}`);
}

/** @returns a summary that names lost loops, which are easily missed in a diff */
function refreshFound(evaluations: readonly Evaluation[], file: string): string {
  const found = evaluations.filter(({ preset }) => preset === 'balanced').flatMap(foundOf);
  const loops = foundLoops(found);
  const lost = existsSync(file) ? foundLoops(readFound(file)).filter((loop) => !loops.includes(loop)) : [];
  writeFileSync(file, foundLines(found));
  const counts = `${file}: ${loops.length} loops found, ${quietAlarms(found).length} alarms in ordinary work\n`;
  return [counts, ...lost.map((loop) => `no longer found: ${loop}\n`)].join('');
}
