import { type DetectionSettings, detectorFacts } from '@loopwatch/contract';
import { detectors } from '../detectors/registry.ts';
import { optionSources } from './make-plan.ts';

/**
 * What holds where the settings say nothing, by dotted path: taken from the options that detection itself runs on.
 *
 * @returns of each key that a preset or another key decides; undefined where the layer is off
 */
export function effectiveDetectionValues(settings: DetectionSettings): ReadonlyMap<string, unknown> {
  const sources = optionSources(settings, true);
  return new Map(
    detectors.flatMap((detector) => {
      const { block } = detectorFacts[detector.id];
      const values = detector.effective(detector.options(sources), sources);
      return Object.entries(values).map(([key, value]): [string, unknown] => [`${block}.${key}`, value]);
    }),
  );
}
