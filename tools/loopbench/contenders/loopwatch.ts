import type { PresetName } from '@loopwatch/contract';
import { createSessionAnalyzer } from '@loopwatch/detectors';
import type { Contender } from './contender.ts';

export function loopwatch(preset: PresetName, version: string): Contender {
  return {
    name: `Loopwatch, ${preset}`,
    version,
    note: 'without the semantic layer',
    reports(events) {
      const analyzer = createSessionAnalyzer({ preset });
      return events.some((event) =>
        analyzer.push(event).some(({ phase, kind }) => phase === 'opened' && kind === 'loop'),
      );
    },
  };
}
