import type { DetectorId } from '@loopwatch/contract';
import type { EffectiveSetting, Status } from '@loopwatch/contract/api';

/** The block of settings that switches each detector. */
const blocks: Readonly<Record<DetectorId, string>> = {
  'tool-repeat': 'tool_call_loop',
  'tool-cycle': 'tool_cycle',
  stagnation: 'stagnation',
  'content-repeat': 'content_loop',
  'thought-repeat': 'thought_loop',
  semantic: 'semantic',
  'tool-limit': 'tool_call_limit',
  'turn-limit': 'turn_requests',
  outage: 'outage',
};

/** Which detectors run under effective settings. */
export function detectorsOn(effective: readonly EffectiveSetting[]): Status['detectors'] {
  const settings = new Map(effective.map((setting) => [setting.path, setting]));
  const all = settings.get('enabled')?.value === true;
  return Object.entries(blocks).map(([id, block]) => {
    const { value, note } = settings.get(`${block}.enabled`) ?? {};
    const wanted = all && value === true;
    return { id: id as DetectorId, on: wanted && note === undefined, reason: (wanted && note) || null };
  });
}
