import { describe, expect, it } from 'vitest';
import { isSecretPath, resolveSettings } from '../../src/internal.ts';

function resolve(oidc: object, environment: Record<string, string> = {}) {
  const value = { server: { oidc } };
  return resolveSettings({ file: { name: 'loopwatch.yaml', value }, environment, flags: {} });
}

const whole = {
  issuer: 'https://id.acme.example',
  client_id: 'loopwatch',
  client_secret: 'shh',
  operators: ['sre'],
};

describe('server.oidc', () => {
  it.each([
    [{}],
    [whole],
    [{ ...whole, client_secret: undefined, client_secret_file: '/run/secrets/oidc' }],
    [{ ...whole, operators: [], default_role: 'viewer' }],
    [{ ...whole, issuer: 'http://localhost:8080/realms/acme' }],
    [{ ...whole, issuer: 'http://[::1]:8080' }],
  ])('accepts %j', (oidc) => {
    expect(resolve(oidc)).toMatchObject({ ok: true });
  });

  it.each([
    [{ ...whole, client_id: undefined }, 'server.oidc.client_id'],
    [{ ...whole, client_secret: undefined }, 'server.oidc.client_secret'],
    [{ ...whole, client_secret_file: 'f' }, 'server.oidc.client_secret'],
    [{ ...whole, operators: [] }, 'server.oidc.operators'],
    [{ ...whole, scope: 'profile' }, 'server.oidc.scope'],
    [{ ...whole, issuer: 'http://id.acme.example' }, 'server.oidc.issuer'],
    [{ ...whole, issuer: 'http://localhost.evil.example' }, 'server.oidc.issuer'],
    [{ ...whole, issuer: 'ftp://localhost' }, 'server.oidc.issuer'],
    [{ client_id: 'loopwatch' }, 'server.oidc.client_id'],
    [{ ...whole, default_role: 'admin' }, 'server.oidc.default_role'],
  ])('rejects %j at %s', (oidc, path) => {
    const result = resolve(oidc);
    expect(result).toMatchObject({ ok: false, errors: [expect.stringContaining(path)] });
  });

  it('accepts environment variables and hides the secret', () => {
    const environment = {
      LOOPWATCH_SERVER_OIDC_ISSUER: 'https://id.acme.example',
      LOOPWATCH_SERVER_OIDC_CLIENT_ID: 'loopwatch',
      LOOPWATCH_SERVER_OIDC_CLIENT_SECRET: 'shh',
      LOOPWATCH_SERVER_OIDC_VIEWERS: 'staff, sales',
    };
    expect(resolve({}, environment)).toMatchObject({
      ok: true,
      settings: { server: { oidc: { client_id: 'loopwatch', viewers: ['staff', 'sales'] } } },
    });
    expect(isSecretPath('server.oidc.client_secret')).toBe(true);
    expect(isSecretPath('server.oidc.client_secret_file')).toBe(false);
  });
});
