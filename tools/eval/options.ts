import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type PresetName, presetNames } from '@loopwatch/contract';
import { InputError } from './input-error.ts';
import { expandPatterns, findSources, type Source } from './sources.ts';

const usage = `npm run eval -- [--data FOLDER | EVENTS LABELS] [options]
  --data FOLDER   every *.events.jsonl.gz below it is a source; with the project's own labels (tools/eval/data/labels)
                  default: LOOPWATCH_SHARED_DATA, else ../shared/data
  EVENTS          JSON lines of events, .gz or plain; several with commas or * in the file name
  LABELS          JSON lines of {sessionId, verdict: loop | not_loop | borderline, at?}; several likewise
  --preset a,b    the presets to compare; default: balanced
  --flagged       names the flagged sessions that have no label
  --json          prints one JSON object instead of tables
  --write-found   refreshes tools/eval/data/found.jsonl, which \`npm run test:traces\` holds preset balanced to`;

export interface Options {
  readonly sources: readonly Source[];
  /** Whether each source has a line of its own, and labels of other sources are left out. */
  readonly bySource: boolean;
  readonly labels: readonly string[];
  readonly presets: readonly PresetName[];
  readonly flagged: boolean;
  readonly json: boolean;
  readonly writeFound: boolean;
}

/** @param home the folder of the project's labels and of what was found; @throws InputError */
export function readOptions(
  args: readonly string[],
  home: string,
  environment: Readonly<Record<string, string | undefined>>,
): Options {
  const { values, positionals } = parse(args);
  const writeFound = values['write-found'] ?? false;
  const presets = [...new Set((values.preset ?? 'balanced').split(','))].map(presetOf);
  const common = { presets, flagged: values.flagged ?? false, json: values.json ?? false, writeFound };
  const [events, labels, ...rest] = positionals;
  if (events === undefined) {
    if (writeFound && !presets.includes('balanced'))
      throw new InputError('--write-found is about preset balanced: leave --preset out');
    const folder = values.data ?? (environment['LOOPWATCH_SHARED_DATA'] || '../shared/data');
    return {
      ...common,
      sources: findSources(folder),
      bySource: true,
      labels: expandPatterns(join(home, 'labels', '*.jsonl')),
    };
  }
  if (labels === undefined || rest.length > 0 || values.data !== undefined) throw new InputError(usage);
  if (writeFound)
    throw new InputError("--write-found is about the project's own labels: leave EVENTS LABELS out");
  return {
    ...common,
    sources: [{ name: events, files: expandPatterns(events) }],
    bySource: false,
    labels: expandPatterns(labels),
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        data: { type: 'string' },
        preset: { type: 'string' },
        flagged: { type: 'boolean' },
        json: { type: 'boolean' },
        'write-found': { type: 'boolean' },
      },
    });
  } catch (error) {
    throw new InputError(`${error instanceof Error ? error.message : String(error)}\n${usage}`);
  }
}

function presetOf(name: string): PresetName {
  const preset = presetNames.find((known) => known === name);
  if (preset === undefined) throw new InputError(`no preset "${name}"; there are ${presetNames.join(', ')}`);
  return preset;
}
