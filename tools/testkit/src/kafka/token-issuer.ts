import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** One request for a token. */
export interface TokenRequest {
  readonly authorization: string;
  readonly form: Readonly<Record<string, string>>;
}

/** An HTTP server that issues access tokens by the client credentials flow, signed with ES256. */
export interface TokenIssuer extends AsyncDisposable {
  readonly url: string;
  readonly tokenEndpointUrl: string;
  /** Publishes the key that verifies its tokens. */
  readonly jwksUrl: string;
  /** The only client that it knows. */
  readonly client: { readonly clientId: string; readonly clientSecret: string };
  readonly requests: readonly TokenRequest[];
  /** Seconds until the next tokens expire. */
  lifetimeSeconds: number;
  /** Whether the next tokens are signed with a key that it does not publish. */
  isForging: boolean;
  /** Answers the next requests in place of the issuer. */
  answer: ((request: TokenRequest, response: ServerResponse) => void) | undefined;
  /** A signed token for a subject. */
  token(subject: string): string;
  stop(): Promise<void>;
}

const algorithm = { alg: 'ES256', kid: 'test' };

/** Starts an issuer on a free port. */
export async function startTokenIssuer(): Promise<TokenIssuer> {
  const { privateKey, publicKey } = keyPair();
  const unknown = keyPair();
  const jwks = JSON.stringify({
    keys: [{ ...publicKey.export({ format: 'jwk' }), ...algorithm, use: 'sig' }],
  });
  const requests: TokenRequest[] = [];
  const server = createServer((request, response) => {
    void serve(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = { clientId: 'loopwatch-client', clientSecret: 'client/secret: +~&=' };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('content-type', 'application/json');
    if (request.url === '/jwks') {
      response.end(jwks);
      return;
    }
    const form = Object.fromEntries(new URLSearchParams(await text(request)));
    const asked = { authorization: request.headers.authorization ?? '', form };
    requests.push(asked);
    if (issuer.answer !== undefined) issuer.answer(asked, response);
    else grant(asked, response);
  }

  function grant({ authorization, form }: TokenRequest, response: ServerResponse): void {
    const login = Buffer.from(authorization.replace('Basic ', ''), 'base64').toString();
    const [id, secret] = login.split(':').map((part) => new URLSearchParams(`_=${part}`).get('_'));
    if (id !== client.clientId || secret !== client.clientSecret) {
      response.writeHead(401).end('{"error":"invalid_client","error_description":"wrong client or secret"}');
    } else if (form['grant_type'] !== 'client_credentials') {
      response.writeHead(400).end('{"error":"unsupported_grant_type"}');
    } else {
      const token = { access_token: issuer.token(id), expires_in: issuer.lifetimeSeconds };
      response.end(JSON.stringify({ ...token, token_type: 'Bearer' }));
    }
  }

  const stop = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  const issuer: TokenIssuer = {
    url,
    tokenEndpointUrl: `${url}/token`,
    jwksUrl: `${url}/jwks`,
    client,
    requests,
    lifetimeSeconds: 300,
    isForging: false,
    answer: undefined,
    token: (subject) => {
      const now = Math.floor(Date.now() / 1000);
      const claims = {
        iss: url,
        sub: subject,
        iat: now,
        exp: now + issuer.lifetimeSeconds,
      };
      const signed = [algorithm, claims].map((part) => base64(JSON.stringify(part))).join('.');
      const key = issuer.isForging ? unknown.privateKey : privateKey;
      return `${signed}.${sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
  return issuer;
}

function base64(part: string): string {
  return Buffer.from(part).toString('base64url');
}

function keyPair() {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}
