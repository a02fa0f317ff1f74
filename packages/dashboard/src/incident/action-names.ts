import type { Incident } from '@loopwatch/contract';

export const actionNames: Readonly<Record<Incident['action'], string>> = {
  none: 'none',
  warn: 'warned',
  chance: 'warned once',
  block: 'blocked',
};
