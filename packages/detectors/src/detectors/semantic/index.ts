import type { DetectorDefinition } from '../definition.ts';
import type { SemanticOptions } from './options.ts';

/** The rule itself is part of the layer, so that bundles without the layer do not include it. */
export const semantic: DetectorDefinition<SemanticOptions> = {
  id: 'semantic',
  options: ({ settings: { semantic: own }, preset, judged }) => {
    if (!judged || !(own.enabled ?? preset.semantic !== null)) return null;
    return {
      afterTurns: own.after_turns,
      interval: own.interval,
      historyTurns: own.history_turns,
      confidence: own.confidence,
      maxCharacters: own.max_characters,
      mode: own.mode ?? preset.semantic?.mode ?? 'block',
    };
  },
  create: (options, { privacy }, layer) => layer && layer.create(options, privacy),
};
