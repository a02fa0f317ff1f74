import { isOn } from '../../lib/is-on.ts';
import { streamText } from '../../settings/presets.ts';
import { FoldedIndex } from '../../text/folded-index.ts';
import { RepeatIndex } from '../../text/repeat-index.ts';
import type { DetectorDefinition } from '../definition.ts';
import type { TextRepeatOptions } from './options.ts';
import { TextRepeat } from './text-repeat.ts';

/** content-repeat and thought-repeat: one rule over two streams of a session. */
export function textRepeat(stream: TextRepeatOptions['stream']): DetectorDefinition<TextRepeatOptions> {
  return {
    id: `${stream}-repeat`,
    startsAt: stream,
    reads: [stream, 'tool_call_request', 'prompt_started', 'turn_started'],
    options: ({ settings, preset: { [stream]: preset } }) => {
      const own = settings[`${stream}_loop`];
      if (!isOn(own, preset !== null)) return null;
      const base = preset ?? streamText;
      const options = {
        stream,
        window: own.window ?? base.window,
        threshold: own.min_repeats ?? base.min_repeats,
        maxDistance: own.max_distance ?? base.max_distance,
        mode: own.mode ?? base.mode,
        ...(base.folded && { folded: true }),
      };
      const createIndex = () => (options.folded ? new FoldedIndex(options) : new RepeatIndex(options));
      return { ...options, createIndex };
    },
    hashed: ({ createIndex, ...own }) => own,
    create: (options) => new TextRepeat(options),
  };
}
