import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { startTokenIssuer } from '@loopwatch/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { clientCredentialTokens } from '../../../src/index.ts';

/** An issuer that answers each request with this. */
async function issuerOf(status: number, body: string, headers: Record<string, string> = {}) {
  const issuer = await startTokenIssuer();
  onTestFinished(() => issuer.stop());
  issuer.answer = (_, response) => response.writeHead(status, headers).end(body);
  return issuer;
}

const json = (value: unknown) => JSON.stringify(value);

/** Compressed before any request, because this counts towards the time that an answer may take. */
const bomb = gzipSync(Buffer.alloc(17 * 1024 * 1024));

describe('client credentials', () => {
  it('are sent as in RFC 6749, and the token is returned', async () => {
    const issuer = await startTokenIssuer();
    onTestFinished(() => issuer.stop());
    const source = clientCredentialTokens({ ...issuer, ...issuer.client, scope: 'a b' });
    expect(await source.token()).toMatch(/^eyJ/);
    expect(issuer.requests).toEqual([
      {
        authorization: `Basic ${Buffer.from('loopwatch-client:client%2Fsecret%3A+%2B%7E%26%3D').toString('base64')}`,
        form: { grant_type: 'client_credentials', scope: 'a b' },
      },
    ]);
  });

  it('ask for the audience of the token if there is one', async () => {
    const issuer = await startTokenIssuer();
    onTestFinished(() => issuer.stop());
    const audience = 'https://kafka.example.com/?a=b&c';
    await clientCredentialTokens({ ...issuer, ...issuer.client, audience }).token();
    expect(issuer.requests[0]?.form).toEqual({ grant_type: 'client_credentials', audience });
  });

  it.each([
    {
      what: 'never ends',
      answer: (response: ServerResponse) => {
        const send = () => {
          while (!response.destroyed && response.write('x'.repeat(1024 * 1024)));
        };
        response.on('drain', send);
        send();
      },
    },
    {
      what: 'is a gzip bomb',
      answer: (response: ServerResponse) => {
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
      },
    },
  ])('refuse an answer that $what', async ({ answer }) => {
    const issuer = await startTokenIssuer();
    onTestFinished(() => issuer.stop());
    issuer.answer = (_, response) => answer(response);
    const source = clientCredentialTokens({ ...issuer, ...issuer.client });
    await expect(source.token()).rejects.toThrow('its answer is longer than 16 MiB');
  });

  it.each([{ expires_in: 3600 }, { expires_in: '3600' }, {}])('accept an answer with %o', async (rest) => {
    const issuer = await issuerOf(200, json({ access_token: 'opaque-token', ...rest }));
    const source = clientCredentialTokens({ ...issuer, ...issuer.client });
    expect([await source.token(), await source.token()]).toEqual(['opaque-token', 'opaque-token']);
    expect(issuer.requests).toHaveLength(1);
  });

  it.each([
    {
      status: 401,
      body: json({ error: 'invalid_client' }),
      message: 'it answered with status 401 (invalid_client)',
      advice: 'Check kafka.sasl.oauthbearer.client_id and client_secret.',
    },
    {
      status: 401,
      body: '<html>login</html>',
      message: 'it answered with status 401',
      advice: 'Check kafka.sasl.oauthbearer.client_id and client_secret.',
    },
    {
      status: 400,
      body: json({ error: 'invalid_scope', error_description: 'no such scope' }),
      message: 'it answered with status 400 (invalid_scope: no such scope)',
      advice: 'Check kafka.sasl.oauthbearer.scope.',
    },
    {
      status: 403,
      body: json({ error: 'access_denied', error_description: 'Service not found' }),
      message: 'it answered with status 403 (access_denied: Service not found)',
      advice: 'Check kafka.sasl.oauthbearer.client_id, scope and audience.',
    },
    {
      status: 404,
      body: 'not here',
      message: 'it answered with status 404',
      advice: 'Check kafka.sasl.oauthbearer.token_endpoint_url.',
    },
    {
      status: 302,
      body: '',
      message: 'it answered with status 302',
      advice: 'Check kafka.sasl.oauthbearer.token_endpoint_url.',
    },
    {
      status: 200,
      body: '<html>welcome</html>',
      message: 'its answer is not JSON',
      advice: 'Check kafka.sasl.oauthbearer.token_endpoint_url.',
    },
    {
      status: 200,
      body: '[]',
      message: 'its answer is not a JSON object',
      advice: 'Check kafka.sasl.oauthbearer.token_endpoint_url.',
    },
    {
      status: 200,
      body: json({ id_token: 'x' }),
      message: 'its answer has no valid access_token',
      advice: 'Check kafka.sasl.oauthbearer.token_endpoint_url.',
    },
    {
      status: 200,
      body: json({ access_token: 'x\u0001auth=y' }),
      message: 'its answer has no valid access_token',
      advice: 'Check kafka.sasl.oauthbearer.token_endpoint_url.',
    },
    {
      status: 200,
      body: json({ access_token: 'x', expires_in: -1 }),
      message: 'its answer has no valid expires_in',
      advice: 'Check kafka.sasl.oauthbearer.token_endpoint_url.',
    },
  ])('report $status $body', async ({ status, body, message, advice }) => {
    const issuer = await issuerOf(status, body, { location: 'https://elsewhere.example/' });
    const url = `${issuer.tokenEndpointUrl}?key=hidden`;
    const source = clientCredentialTokens({ ...issuer.client, tokenEndpointUrl: url });
    await expect(source.token()).rejects.toMatchObject({
      message: `No access token from ${issuer.tokenEndpointUrl}: ${message}`,
      advice,
    });
    expect(issuer.requests).toHaveLength(1);
  });

  it('hide a secret that the endpoint repeats', async () => {
    const issuer = await issuerOf(400, json({ error: 'invalid_client', error_description: 'not my-secret' }));
    const source = clientCredentialTokens({ ...issuer, clientId: 'c', clientSecret: 'my-secret' });
    await expect(source.token()).rejects.toMatchObject({
      message: expect.stringContaining('(invalid_client: not ******)') as string,
    });
  });

  it('report an endpoint that cannot be reached, after retries', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    const url = `http://127.0.0.1:${port}/token`;
    const source = clientCredentialTokens({ tokenEndpointUrl: url, clientId: 'c', clientSecret: 's' });
    await expect(source.token()).rejects.toMatchObject({
      message: `No access token from ${url}: connect ECONNREFUSED 127.0.0.1:${port}`,
      advice: undefined,
      isTransient: true,
    });
  });
});
