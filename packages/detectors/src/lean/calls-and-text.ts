import { type DetectionSettings, detectionSchema } from '@loopwatch/contract';
import { semantic } from '../detectors/semantic/index.ts';
import { textRepeat } from '../detectors/text-repeat/index.ts';
import { toolLimit } from '../detectors/tool-limit/index.ts';
import { toolRepeatByCalls } from '../detectors/tool-repeat/repeat-by-calls.ts';
import { turnLimit } from '../detectors/turn-limit/index.ts';
import { isOn, type Switchable } from '../lib/is-on.ts';
import type { Library } from '../plan/library.ts';
import { withModel } from '../settings/effective-settings.ts';
import { type Preset, presets } from '../settings/presets.ts';

const blocks = ['tool_cycle', 'stagnation', 'outage', 'budget'] as const;
const elsewhere = 'is not in @loopwatch/detectors/lean; @loopwatch/detectors has it';

/** Rejects settings that need other rules, whether the server's, a model's or a session's. */
const schema = detectionSchema.superRefine((settings, context) => {
  const refuse = (...path: string[]): void => context.addIssue({ code: 'custom', path, message: elsewhere });
  for (const path of beyond(settings)) refuse(...path);
  for (const [name, own] of Object.entries(settings.overrides.models)) {
    // Settings that a model merely inherits are reported for the server.
    for (const path of beyond(withModel(settings, own)))
      if (path[0] in own) refuse('overrides', 'models', name, ...path);
  }
});

/** Only the rules over calls and text that need no results; each keeps its index in the registry. */
export const callsAndText: Library = {
  detectors: [
    toolRepeatByCalls,
    null,
    null,
    null,
    textRepeat('content', null),
    textRepeat('thought', null),
    semantic,
    toolLimit,
    turnLimit,
  ],
  results: null,
  prices: new Map(),
  schema,
};

/** The keys that need rules missing from this entry. */
function beyond(settings: DetectionSettings): ['preset' | (typeof blocks)[number], ...string[]][] {
  const wanted = blocks.filter((name) => isOn(settings[name]));
  return [
    ...(isLean(presets[settings.preset]) ? [] : [['preset'] as ['preset']]),
    ...wanted.map((name): [typeof name, string] => [name, keyOf(settings[name])]),
  ];
}

/** The key that turned a block on. */
function keyOf(block: Switchable): string {
  const set = Object.entries(block).flatMap(([key, value]) => (value === undefined ? [] : [key]));
  return block.enabled === true ? 'enabled' : (set[0] ?? '');
}

function isLean({ results, content, thought }: Preset): boolean {
  return !results && ![content, thought].some((text) => text?.folded);
}
