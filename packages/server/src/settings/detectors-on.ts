import { detectorFacts, detectorIds } from '@loopwatch/contract';
import type { EffectiveSetting, Status } from '@loopwatch/contract/api';

/** Which detectors run under effective settings. */
export function detectorsOn(effective: readonly EffectiveSetting[]): Status['detectors'] {
  const settings = new Map(effective.map((setting) => [setting.path, setting]));
  const all = settings.get('enabled')?.value === true;
  return detectorIds.map((id) => {
    const { value, note } = settings.get(`${detectorFacts[id].block}.enabled`) ?? {};
    const wanted = all && value === true;
    return { id, on: wanted && note === undefined, reason: (wanted && note) || null };
  });
}
