import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Evaluation, evaluate } from './evaluate.ts';
import { findingsOf, formatFindings, foundLoops, quietAlarms, readFindings } from './findings.ts';
import { InputError } from './input-error.ts';
import { type Labels, readLabels } from './labels.ts';
import { type Options, readOptions } from './options.ts';
import { report } from './report.ts';
import { runPresets } from './run-presets.ts';

/** The project's labels, and the list of what preset balanced finds. */
const ownHome = join(import.meta.dirname, 'data');

export interface CommandIo {
  readonly print: (text: string) => void;
  readonly printError: (text: string) => void;
  readonly progress?: (text: () => string) => void;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly home?: string;
}

/** @returns the exit code: 0, or 2 on bad input, which is named on stderr */
export async function main(args: readonly string[], io: CommandIo): Promise<number> {
  const { print, printError, progress, environment = {}, home = ownHome } = io;
  try {
    const options = readOptions(args, home, environment);
    const { json, flagged, writeFound } = options;
    const labels = readLabels(options.labels);
    if (writeFound) requireEverySource(options, labels);
    const evaluations = await evaluateAll(options, labels, progress);
    print(json ? `${JSON.stringify({ presets: evaluations })}\n` : report(evaluations, flagged));
    if (writeFound) printError(updateFindings(evaluations, join(home, 'found.jsonl')));
    return 0;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    printError(`${error.message}\n`);
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
    throw new InputError(`${sources.map(({ name }) => name).join(', ')}: no events`);
  return evaluations;
}

/** With part of the data, the list would lose the rest. */
function requireEverySource({ sources }: Options, labels: Labels): void {
  const labelled = new Set([...labels.values()].flatMap(({ source }) => source ?? []));
  for (const { name } of sources) labelled.delete(name);
  if (labelled.size > 0)
    throw new InputError(
      `--write-found takes all recorded data; there is none of ${[...labelled].join(', ')}`,
    );
}

/** @returns a summary that names the loops no longer found */
function updateFindings(evaluations: readonly Evaluation[], file: string): string {
  const found = evaluations.filter(({ preset }) => preset === 'balanced').flatMap(findingsOf);
  const loops = foundLoops(found);
  const lost = existsSync(file) ? foundLoops(readFindings(file)).filter((loop) => !loops.includes(loop)) : [];
  writeFileSync(file, formatFindings(found));
  const counts = `${file}: ${loops.length} loops found, ${quietAlarms(found).length} alarms in ordinary work\n`;
  return [counts, ...lost.map((loop) => `no longer found: ${loop}\n`)].join('');
}
