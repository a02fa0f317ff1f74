import { messageOf } from '@loopwatch/contract';
import type { LogFunction } from '@loopwatch/platform';
import * as z from 'zod';
import { askService, isTransient, jsonOf } from '../http/ask-service.ts';
import { TokenError } from './token-error.ts';
import { type AccessToken, createTokenSource, type TokenSource } from './token-source.ts';

/** How a client gets tokens with its own credentials (OAuth 2.0, RFC 6749, section 4.4). */
export interface ClientCredentials {
  /** `https:`, or `http:` inside a network without eavesdroppers. */
  readonly tokenEndpointUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope?: string;
  /** For whom the token is; not part of the RFC, and ignored by providers that do not know it. */
  readonly audience?: string;
}

const ANSWER_MS = 4_000;
/** Lifetime of a token whose answer does not state it. */
const DEFAULT_LIFETIME_SECONDS = 300;

const answerSchema = z.object({
  // What RFC 6750 allows in a bearer token.
  access_token: z.string().regex(/^[\w.~+/-]+=*$/),
  expires_in: z.coerce.number().positive().default(DEFAULT_LIFETIME_SECONDS),
});
const refusalSchema = z.object({ error: z.string(), error_description: z.string().optional() });

/** The settings to check, by the `error` of the answer. */
const advice: Readonly<Record<string, string>> = {
  invalid_scope: 'scope',
  invalid_request: 'token_endpoint_url, scope and audience',
  // Of RFC 8707, and of Auth0.
  invalid_target: 'audience',
  access_denied: 'client_id, scope and audience',
};

/** Tokens of an endpoint, for OAUTHBEARER. */
export function clientCredentialTokens(credentials: ClientCredentials, log?: LogFunction): TokenSource {
  return createTokenSource((now) => requestToken(credentials, now), log === undefined ? {} : { log });
}

async function requestToken(credentials: ClientCredentials, now: () => number): Promise<AccessToken> {
  const { tokenEndpointUrl: url, clientId, clientSecret, scope, audience } = credentials;
  const began = now();
  const login = `${formEncoded(clientId)}:${formEncoded(clientSecret)}`;
  const request: RequestInit = {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(login).toString('base64')}`,
      accept: 'application/json',
    },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      ...(scope !== undefined && { scope }),
      ...(audience !== undefined && { audience }),
    }),
    // The secret must not reach another host.
    redirect: 'manual',
  };
  const { status, text, json } = await askService(url, request, ANSWER_MS).catch((error: unknown) => {
    throw new TokenError(`No access token from ${shown(url)}: ${messageOf(error)}`);
  });
  if (status !== 200) throw refusal(url, status, text.replaceAll(clientSecret, '******'));
  const answer = answerSchema.safeParse(json);
  if (!answer.success) {
    const what = json === undefined ? 'its answer is not JSON' : faultOf(answer.error);
    throw new TokenError(
      `No access token from ${shown(url)}: ${what}`,
      'Check kafka.sasl.oauthbearer.token_endpoint_url.',
    );
  }
  const { access_token: value, expires_in: seconds } = answer.data;
  return { value, expiresAt: began + seconds * 1000 };
}

function refusal(url: string, status: number, text: string): TokenError {
  const reason = refusalSchema.safeParse(jsonOf(text));
  const { error, error_description: description } = reason.success
    ? reason.data
    : { error: '', error_description: undefined };
  const detail = [error, description].filter(Boolean).join(': ').slice(0, 300);
  const isLogin = status === 400 || status === 401 || status === 403;
  const settings = advice[error] ?? (isLogin ? 'client_id and client_secret' : 'token_endpoint_url');
  return new TokenError(
    `No access token from ${shown(url)}: it answered with status ${String(status)}${detail === '' ? '' : ` (${detail})`}`,
    isTransient(status) ? undefined : `Check kafka.sasl.oauthbearer.${settings}.`,
  );
}

function faultOf({ issues }: z.ZodError): string {
  const [issue] = issues;
  const field = String(issue?.path[0] ?? '');
  return field === '' ? 'its answer is not a JSON object' : `its answer has no valid ${field}`;
}

/** RFC 6749, section 2.3.1: both parts of the login are encoded like a form. */
function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}

/** Without its query, which can contain a key. */
function shown(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
