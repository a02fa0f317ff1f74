import type { Logger } from 'pino';
import type { Access } from './access.ts';
import type { EndedSessions } from './ended-sessions.ts';
import type { Hosts } from './hosts.ts';
import type { Oidc } from './oidc.ts';
import type { TokenChecks } from './token-checks.ts';

/** What the ways in share. */
export interface Doors {
  readonly access: Access;
  readonly hosts: Hosts;
  readonly checks: TokenChecks;
  readonly ended: EndedSessions;
  readonly oidc: Oidc | undefined;
  readonly logger: Logger;
}
