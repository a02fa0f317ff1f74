import { type CycleOptions, cycleOptions } from '../../calls/cycle-options.ts';
import type { DetectorDefinition } from '../definition.ts';
import { ToolCycle } from './tool-cycle.ts';

export const toolCycle: DetectorDefinition<CycleOptions> = {
  id: 'tool-cycle',
  needsResults: ({ tool_cycle: own }) => own,
  reads: ['prompt_started', 'tool_call_request'],
  options: ({ settings, preset, calls }) => cycleOptions(settings, preset, calls.tool.mode),
  create: (options, { knowledge }) => new ToolCycle(options, knowledge),
};
