import { events, guard } from './agents.ts';
import { incidents } from './incidents.ts';
import { administration, login, probes, samples, server } from './server.ts';
import { sessions } from './sessions.ts';
import { notifications, settings } from './settings.ts';
import { backtests, statistics } from './statistics.ts';
import type { Tag } from './tag.ts';

/** The operations under `/api/v1`, whose paths lack that prefix; what an agent needs comes first. */
export const apiTags: readonly Tag[] = [
  ...[events, guard, sessions, incidents, statistics, settings],
  ...[backtests, notifications, samples, administration, login, server],
];

/** The operations outside `/api/v1`. */
export const otherTags: readonly Tag[] = [probes];
