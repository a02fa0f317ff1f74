import type { Incident } from '@loopwatch/contract';

/** What a verdict asks for. Whether it was done, a hook, a guard or a gateway decides. */
export const actionNames: Readonly<Record<Incident['action'], string>> = {
  none: 'none',
  warn: 'warn',
  chance: 'warn once',
  block: 'block',
};
