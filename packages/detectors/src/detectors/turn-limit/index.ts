import { isOn } from '../../lib/is-on.ts';
import type { DetectorDefinition } from '../definition.ts';
import { TurnLimit, type TurnLimitOptions } from './turn-limit.ts';

export const turnLimit: DetectorDefinition<TurnLimitOptions> = {
  id: 'turn-limit',
  reads: ['turn_started', 'tool_call_request', 'prompt_started'],
  options: ({ settings: { turn_requests: own } }) =>
    isOn(own) ? { maxRequests: own.max_turn_requests ?? 10 } : null,
  create: (options) => new TurnLimit(options),
};
