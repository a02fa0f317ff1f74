import type * as OpenIdClient from 'openid-client';
import * as z from 'zod';
import type { RoleRules } from './oidc-role.ts';

export interface OidcOptions extends RoleRules {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Label of the login button. */
  readonly name: string;
  readonly scope: string;
  /** URL of the dashboard as browsers know it; by default derived from each request. */
  readonly publicUrl?: string | undefined;
}

/** A login that waits for the provider to redirect back. */
export const pendingLoginSchema = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  /** The path to return to. */
  to: z.string(),
});
export type PendingLogin = z.infer<typeof pendingLoginSchema>;

export interface OidcLogin {
  readonly claims: Readonly<Record<string, unknown>>;
  readonly idToken: string;
}

/** Loaded on demand: most servers have no identity provider. */
const library = (): Promise<typeof OpenIdClient> => import('openid-client');

const TIMEOUT_SECONDS = 10;
/** Accepted clock skew between provider and server. */
const CLOCK_TOLERANCE_SECONDS = 30;

/** OpenID Connect logins: the authorization code flow with PKCE. */
export class Oidc {
  readonly options: OidcOptions;
  #discovered: Promise<OpenIdClient.Configuration> | undefined;

  constructor(options: OidcOptions) {
    this.options = options;
  }

  /** Starts a login. @returns the provider's address for the browser */
  async begin(
    redirectUri: string,
    to: string,
  ): Promise<{ readonly url: URL; readonly pending: PendingLogin }> {
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
   * The address to log out at the provider; undefined when the provider has no end-session endpoint.
   *
   * @param idToken of the login, if known
   */
  async logoutUrl(idToken: string | undefined, returnTo: string): Promise<URL | undefined> {
    const configuration = await this.#configuration();
    if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined;
    const client = await library();
    return client.buildEndSessionUrl(configuration, {
      ...(idToken !== undefined && { id_token_hint: idToken }),
      post_logout_redirect_uri: returnTo,
    });
  }

  /**
   * Exchanges the authorization code for the user's claims.
   *
   * @param url of the callback, with its query
   * @throws when the provider rejects the login, or state, nonce or verifier do not match
   */
  async finish(url: URL, { state, nonce, verifier }: PendingLogin): Promise<OidcLogin> {
    const client = await library();
    const tokens = await client.authorizationCodeGrant(await this.#configuration(), url, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    const idToken = tokens.id_token;
    if (claims === undefined || idToken === undefined)
      throw new Error('The identity provider sent no ID token');
    return { claims, idToken };
  }

  /** Discovered at the first login, and again after a failure, so that the server starts without the provider. */
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
      { [client.clockTolerance]: CLOCK_TOLERANCE_SECONDS },
      client.ClientSecretPost(clientSecret),
      {
        timeout: TIMEOUT_SECONDS,
        execute: [
          // Verify signatures as well: TLS may be terminated between server and provider.
          client.enableNonRepudiationChecks,
          // Only for a provider on this machine; the settings reject http elsewhere.
          // oxlint-disable-next-line typescript/no-deprecated -- marked to make it stand out
          ...(issuer.startsWith('http:') ? [client.allowInsecureRequests] : []),
        ],
      },
    );
  }
}
