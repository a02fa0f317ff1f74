import type { Settings } from '@loopwatch/contract';
import type { OidcOptions } from '@loopwatch/server';
import { readSecret } from '../config/secret-files.ts';

/** The configured OpenID Connect provider, if any. @throws UsageError when the secret file cannot be read */
export function oidcOptions({ server: { oidc } }: Pick<Settings, 'server'>): OidcOptions | undefined {
  const { issuer, client_id: clientId } = oidc;
  const clientSecret = readSecret('server.oidc.client_secret', oidc.client_secret, oidc.client_secret_file);
  // The schema requires all of them or none.
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return undefined;
  return {
    issuer,
    clientId,
    clientSecret,
    name: oidc.name,
    scope: oidc.scope,
    publicUrl: oidc.public_url,
    operators: oidc.operators,
    viewers: oidc.viewers,
    roleClaim: oidc.role_claim,
    defaultRole: oidc.default_role,
  };
}
