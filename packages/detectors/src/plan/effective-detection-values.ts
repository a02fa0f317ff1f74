import { type DetectionSettings, detectorFacts } from '@loopwatch/contract';
import { detectors } from '../detectors/registry.ts';
import { optionSources } from './make-plan.ts';

/**
 * The effective values of unset settings, by dotted path, taken from the options that detection itself uses.
 *
 * @returns a value for each key that a preset or another key decides; undefined if the layer is off
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
