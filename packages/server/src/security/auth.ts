import type { Logger } from 'pino';
import type { Access } from './access.ts';
import type { Hosts } from './hosts.ts';
import type { Oidc } from './oidc.ts';
import type { RevokedLogins } from './revoked-logins.ts';
import type { TokenVerifier } from './token-verifier.ts';

/** What the ways in share. */
export interface Auth {
  readonly access: Access;
  readonly hosts: Hosts;
  readonly checks: TokenVerifier;
  readonly ended: RevokedLogins;
  readonly oidc: Oidc | undefined;
  readonly logger: Logger;
}
