import { parseArgs } from 'node:util';
import { type PresetName, presetNames } from '@loopwatch/contract';
import { evaluate, runPresets } from './evaluate.ts';
import { BadInput, filesOf, readEvents, readLabels } from './input.ts';
import { report } from './report.ts';

export const usage =
  'npm run eval -- EVENTS LABELS [--preset balanced,stream] [--flagged]\n' +
  '  EVENTS  JSON lines of events, .gz or plain; several with commas or * in the file name\n' +
  '  LABELS  JSON lines of {sessionId, verdict: loop | not_loop | borderline}\n' +
  '  --preset   the presets to compare; default: balanced\n' +
  '  --flagged  names the flagged sessions that have no label\n';

/** @returns the exit code: 0, or 2 on bad input, which is named on stderr */
export async function main(
  args: readonly string[],
  print: (text: string) => void,
  complain: (text: string) => void,
): Promise<number> {
  try {
    const { events, labels, presets, flagged } = options(args);
    const marks = readLabels(labels);
    const files = filesOf(events);
    const hits = await runPresets(presets, allEvents(files));
    const evaluations = [...hits].map(([preset, found]) => evaluate(preset, found, marks));
    if (evaluations.every(({ sessions }) => sessions === 0)) throw new BadInput(`${events}: no events`);
    print(report(evaluations, marks, flagged));
    return 0;
  } catch (error) {
    if (!(error instanceof BadInput)) throw error;
    complain(`${error.message}\n`);
    return 2;
  }
}

async function* allEvents(files: readonly string[]): ReturnType<typeof readEvents> {
  for (const file of files) yield* readEvents(file);
}

function options(args: readonly string[]) {
  const { values, positionals } = parsed(args);
  const [events, labels, ...rest] = positionals;
  if (events === undefined || labels === undefined || rest.length > 0) throw new BadInput(usage.trimEnd());
  const presets = [...new Set((values.preset ?? 'balanced').split(','))].map(presetOf);
  return { events, labels, presets, flagged: values.flagged ?? false };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { preset: { type: 'string' }, flagged: { type: 'boolean' } },
    });
  } catch (error) {
    throw new BadInput(`${error instanceof Error ? error.message : String(error)}\n${usage.trimEnd()}`);
  }
}

function presetOf(name: string): PresetName {
  const preset = presetNames.find((known) => known === name);
  if (preset === undefined) throw new BadInput(`no preset "${name}"; there are ${presetNames.join(', ')}`);
  return preset;
}
