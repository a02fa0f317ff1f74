import { type MutableToken, OAuth2Server } from 'oauth2-mock-server';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { sharedPglite } from '../../../storage/test/shared-pglite.ts';
import type { OidcOptions } from '../../src/index.ts';
import type { MemoryLog } from '../memory-log.ts';
import { startServer } from '../running-server.ts';

export const viewerToken = 'viewer-token-of-length';

/** The named cookie of an answer, as a browser sends it back. */
export function cookieOf(response: Response, name: string): string {
  const line = response.headers.getSetCookie().find((one) => one.startsWith(`${name}=`)) ?? '';
  return line.replace(/;.*/, '');
}

/** A server with an identity provider, and a browser that logs in there. */
export class OidcServer {
  readonly provider = new OAuth2Server();
  now = Date.now();
  /** What the provider says in the next ID tokens. */
  claims: Record<string, unknown> = {};
  /** The requests for tokens. */
  readonly asked: Record<string, unknown>[] = [];
  #started: Awaited<ReturnType<typeof startServer>> | undefined;

  readonly start = async (openDatabase: ReturnType<typeof sharedPglite>): Promise<void> => {
    const { provider } = this;
    await provider.issuer.keys.generate('RS256');
    await provider.start(0, 'localhost');
    provider.service.on(
      'beforeTokenSigning',
      ({ payload }: MutableToken, request: { body: Record<string, unknown> }) => {
        this.asked.push(request.body);
        Object.assign(payload, this.claims);
      },
    );
    const tokens = { viewer: viewerToken };
    this.#started = await startServer({ openDatabase, oidc: this.options, tokens, now: () => this.now });
  };

  readonly stop = async (): Promise<void> => {
    await this.#running.server.stop();
    await this.provider.stop();
  };

  reset(): void {
    this.claims = {};
    this.now = Date.now();
    this.provider.service.removeAllListeners('beforeResponse');
  }

  get #running(): Awaited<ReturnType<typeof startServer>> {
    if (this.#started === undefined) throw new Error('The server only runs while tests run');
    return this.#started;
  }

  get options(): OidcOptions {
    return {
      issuer: this.provider.issuer.url ?? '',
      clientId: 'loopwatch',
      clientSecret: 'shh',
      name: 'Acme <ID>',
      scope: 'openid groups',
      roleClaim: 'groups',
      operators: ['sre'],
      viewers: ['staff'],
      defaultRole: 'none',
    };
  }

  get url(): string {
    return this.#running.url;
  }

  get log(): MemoryLog {
    return this.#running.log;
  }

  /** Resolves when everything that is in the log is in the database. */
  readonly stored = (): Promise<void> => this.#running.stored();

  readonly get = (path: string, cookie = '', init: RequestInit = {}): Promise<Response> =>
    fetch(new URL(path, this.url), { redirect: 'manual', ...init, headers: { cookie } });

  /** Up to where the provider has sent the browser back. */
  readonly leave = async (to = '/') => {
    const left = await this.get(`/login/oidc?to=${encodeURIComponent(to)}`);
    expect(left.status).toBe(303);
    const authorize = new URL(left.headers.get('location') ?? '');
    const back = await fetch(authorize, { redirect: 'manual' });
    return {
      authorize,
      back: new URL(back.headers.get('location') ?? ''),
      cookie: cookieOf(left, 'loopwatch_login'),
      left,
    };
  };

  readonly login = async (said: Record<string, unknown>, to = '/') => {
    this.claims = said;
    const { back, cookie } = await this.leave(to);
    const done = await this.get(back.href, cookie);
    return {
      done,
      cookie: cookieOf(done, 'loopwatch_session'),
      idToken: cookieOf(done, 'loopwatch_id_token'),
    };
  };

  /** As a browser that has these cookies. */
  readonly logOut = (...cookies: string[]): Promise<Response> =>
    this.get('/api/v1/auth/logout', cookies.join('; '), { method: 'POST' });

  readonly me = async (cookie: string): Promise<unknown> =>
    (await this.get('/api/v1/auth/me', cookie)).json();
}

/** Starts a server with an identity provider for the tests of a file. */
export function oidcServer(): OidcServer {
  const openDatabase = sharedPglite();
  const oidc = new OidcServer();
  beforeAll(() => oidc.start(openDatabase));
  afterAll(oidc.stop);
  afterEach(() => oidc.reset());
  return oidc;
}
