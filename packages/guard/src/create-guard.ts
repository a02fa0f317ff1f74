import type { Guard, GuardOptions } from './guard.ts';
import { ServerLink } from './server/server-link.ts';
import { SessionGuard } from './session-guard.ts';
import type { GuardStats } from './stats.ts';

/**
 * Guards the tools of an agent: a call that goes on with a loop does not run, and the agent is told why in place of a result.
 *
 * @throws ZodError that names the key, when the settings are wrong; nothing else of the guard throws
 */
export function createGuard(options: GuardOptions = {}): Guard {
  const { server, session = crypto.randomUUID() } = options;
  const stats: GuardStats = { calls: 0, denied: 0, faults: 0, reported: 0, dropped: 0 };
  const link = server === undefined ? undefined : new ServerLink(server, stats);
  return new SessionGuard({ options, session, parent: undefined, link, stats });
}
