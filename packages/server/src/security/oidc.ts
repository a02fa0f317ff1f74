import type * as OpenIdClient from 'openid-client';
import { z } from 'zod';
import type { RoleRules } from './oidc-role.ts';

export interface OidcOptions extends RoleRules {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** On the button that leads there. */
  readonly name: string;
  readonly scope: string;
  /** URL of the dashboard as browsers see it; as each request says, where absent. */
  readonly publicUrl?: string | undefined;
}

/** What is remembered between leaving for the provider and coming back. */
export const pendingSchema = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  /** Where one wanted to go. */
  to: z.string(),
});
export type Pending = z.infer<typeof pendingSchema>;

interface LoggedIn {
  readonly claims: Readonly<Record<string, unknown>>;
  readonly idToken: string;
}

/** Most servers have no provider of logins: the library is loaded when one is asked. */
const library = (): Promise<typeof OpenIdClient> => import('openid-client');

const timeoutSeconds = 10;
/** How far the clocks of provider and server may be apart. */
const clockToleranceSeconds = 30;

/** Logins by OpenID Connect: the authorization code flow with PKCE. */
export class Oidc {
  readonly options: OidcOptions;
  #discovered: Promise<OpenIdClient.Configuration> | undefined;

  constructor(options: OidcOptions) {
    this.options = options;
  }

  /** Where to send a browser to log in. */
  async begin(redirectUri: string, to: string): Promise<{ readonly url: URL; readonly pending: Pending }> {
    const client = await library();
    const configuration = await this.#configuration();
    const verifier = client.randomPKCECodeVerifier();
    const pending = { state: client.randomState(), nonce: client.randomNonce(), verifier, to };
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: this.options.scope,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state: pending.state,
      nonce: pending.nonce,
    });
    return { url, pending };
  }

  /**
   * Where to send a browser to log out at the provider, too; undefined where the provider has no such place.
   *
   * @param idToken of the login that ends, where it is still known
   */
  async end(idToken: string | undefined, returnTo: string): Promise<URL | undefined> {
    const configuration = await this.#configuration();
    if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined;
    const client = await library();
    return client.buildEndSessionUrl(configuration, {
      ...(idToken !== undefined && { id_token_hint: idToken }),
      post_logout_redirect_uri: returnTo,
    });
  }

  /**
   * What the provider says about who comes back.
   *
   * @param url with what the provider has put behind the redirect URI
   * @throws when the provider refuses, or something is not as it was when the browser left
   */
  async finish(url: URL, { state, nonce, verifier }: Pending): Promise<LoggedIn> {
    const client = await library();
    const tokens = await client.authorizationCodeGrant(await this.#configuration(), url, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    const idToken = tokens.id_token;
    if (claims === undefined || idToken === undefined) throw new Error('The provider has sent no ID token');
    return { claims, idToken };
  }

  /** Asked for at the first login, and again after a failure: a provider that is down keeps no server from starting. */
  #configuration(): Promise<OpenIdClient.Configuration> {
    this.#discovered ??= this.#discover().catch((error: unknown) => {
      this.#discovered = undefined;
      throw error;
    });
    return this.#discovered;
  }

  async #discover(): Promise<OpenIdClient.Configuration> {
    const client = await library();
    const { issuer, clientId, clientSecret } = this.options;
    return client.discovery(
      new URL(issuer),
      clientId,
      { [client.clockTolerance]: clockToleranceSeconds },
      client.ClientSecretPost(clientSecret),
      {
        timeout: timeoutSeconds,
        execute: [
          // Signatures are checked, too: what stands between server and provider may not be TLS all the way.
          client.enableNonRepudiationChecks,
          // Of a provider on this machine; the settings refuse others.
          // eslint-disable-next-line @typescript-eslint/no-deprecated -- marked so as to stand out
          ...(issuer.startsWith('http:') ? [client.allowInsecureRequests] : []),
        ],
      },
    );
  }
}
