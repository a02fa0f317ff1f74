import { isOn } from '../../lib/is-on.ts';
import type { DetectorDefinition } from '../definition.ts';
import { Outage, type OutageOptions } from './outage.ts';

export const outage: DetectorDefinition<OutageOptions> = {
  id: 'outage',
  needsResults: ({ outage: own }) => own,
  reads: ['prompt_started'],
  options: ({ settings: { outage: own }, preset }) =>
    isOn(own, preset.results) ? { threshold: own.min_failures ?? 3 } : null,
  create: (options, { knowledge }) => new Outage(options, knowledge),
};
