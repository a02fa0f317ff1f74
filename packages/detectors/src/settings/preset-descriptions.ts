import type { PresetName } from '@loopwatch/contract';

/** What each preset is for, as the end of a sentence. */
export const presetDescriptions: Readonly<Record<PresetName, string>> = {
  balanced: 'all detectors, knowing progress from a loop',
  stream: 'the layers of a stream service: 5 identical calls in a row; 50 units of text 10 times',
  proxy: 'a proxy that breaks: 4 identical calls in a row within two minutes',
  similar: '3 similar calls within five minutes',
  general: 'general purpose',
  coding: 'coding tools',
  search: 'search tools',
  api: 'tools that call APIs',
  files: 'file operations',
};
