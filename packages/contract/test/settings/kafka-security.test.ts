import { describe, expect, it } from 'vitest';
import { isSecretPath, resolveSettings } from '../../src/internal.ts';

/** Resolves settings as if from a YAML file. */
function resolve(kafka: object, environment: Record<string, string> = {}) {
  return resolveSettings({ file: { name: 'loopwatch.yaml', value: { kafka } }, environment, flags: {} });
}

const login = { mechanism: 'SCRAM-SHA-512', username: 'loopwatch', password: 'secret' };

const bearer = {
  token_endpoint_url: 'https://login.example.com/oauth2/token',
  client_id: 'loopwatch',
  client_secret: 'secret',
};
const bearerLogin = { mechanism: 'OAUTHBEARER', oauthbearer: bearer };

describe('Kafka security settings', () => {
  it.each([
    { protocol: 'PLAINTEXT', rest: {} },
    { protocol: 'SSL', rest: {} },
    { protocol: 'SSL', rest: { ssl: { ca_file: 'ca.pem' } } },
    { protocol: 'SSL', rest: { ssl: { cert_file: 'c.pem', key_file: 'k.pem', key_password_file: 'p' } } },
    { protocol: 'SASL_PLAINTEXT', rest: { sasl: { ...login, mechanism: 'PLAIN' } } },
    { protocol: 'SASL_SSL', rest: { sasl: { ...login, mechanism: 'SCRAM-SHA-256' } } },
    { protocol: 'SASL_SSL', rest: { sasl: login, ssl: { verify_hostname: false } } },
    { protocol: 'SASL_SSL', rest: { sasl: bearerLogin } },
    { protocol: 'SASL_SSL', rest: { sasl: { mechanism: 'AWS_MSK_IAM', aws: { region: 'eu-central-1' } } } },
    {
      protocol: 'SASL_SSL',
      rest: {
        sasl: {
          mechanism: 'OAUTHBEARER',
          oauthbearer: {
            token_endpoint_url: bearer.token_endpoint_url,
            client_id: 'loopwatch',
            client_secret_file: '/run/secrets/client',
            scope: 'kafka',
            extensions: { logicalCluster: 'lkc-1', identityPoolId: 'pool-1' },
          },
        },
      },
    },
  ])('accept $protocol with $rest', ({ protocol, rest }) => {
    expect(resolve({ security_protocol: protocol, ...rest })).toMatchObject({
      ok: true,
      settings: { kafka: { security_protocol: protocol, ...rest } },
    });
  });

  it('accept environment variables', () => {
    const result = resolve(
      {},
      {
        LOOPWATCH_KAFKA_SECURITY_PROTOCOL: 'SASL_SSL',
        LOOPWATCH_KAFKA_SASL_MECHANISM: 'PLAIN',
        LOOPWATCH_KAFKA_SASL_USERNAME: 'loopwatch',
        LOOPWATCH_KAFKA_SASL_PASSWORD_FILE: '/run/secrets/kafka',
        LOOPWATCH_KAFKA_SSL_CA_FILE: '/etc/ssl/kafka.pem',
        LOOPWATCH_KAFKA_SSL_VERIFY_HOSTNAME: 'false',
      },
    );
    expect(result).toMatchObject({
      ok: true,
      warnings: [],
      settings: {
        kafka: {
          security_protocol: 'SASL_SSL',
          sasl: { mechanism: 'PLAIN', username: 'loopwatch', password_file: '/run/secrets/kafka' },
          ssl: { ca_file: '/etc/ssl/kafka.pem', verify_hostname: false },
        },
      },
    });
  });

  it.each([
    {
      kafka: { security_protocol: 'SASL_SSL' },
      errors: [
        'kafka.sasl.mechanism: is required with security_protocol SASL_SSL',
        'kafka.sasl.username: is required with security_protocol SASL_SSL',
        'kafka.sasl.password: or sasl.password_file is required with security_protocol SASL_SSL',
      ],
    },
    {
      kafka: { sasl: login },
      errors: ['mechanism', 'username', 'password'].map(
        (key) =>
          `kafka.sasl.${key}: has no effect with security_protocol PLAINTEXT: set it to SASL_SSL or SASL_PLAINTEXT`,
      ),
    },
    {
      kafka: { security_protocol: 'SASL_PLAINTEXT', sasl: login, ssl: { ca_file: 'ca.pem' } },
      errors: [
        'kafka.ssl.ca_file: has no effect with security_protocol SASL_PLAINTEXT: set it to SSL or SASL_SSL',
      ],
    },
    {
      kafka: { security_protocol: 'SSL', ssl: { cert_file: 'c.pem' } },
      errors: ['kafka.ssl.cert_file: and ssl.key_file must be set together'],
    },
    {
      kafka: { security_protocol: 'SASL_SSL', sasl: { ...login, password_file: 'p' } },
      errors: ['kafka.sasl.password: and sasl.password_file are both set: set only one of them'],
    },
    {
      kafka: {
        security_protocol: 'SSL',
        ssl: { cert_file: 'c', key_file: 'k', key_password: 'a', key_password_file: 'b' },
      },
      errors: ['kafka.ssl.key_password: and ssl.key_password_file are both set: set only one of them'],
    },
    {
      kafka: { security_protocol: 'SASL_SSL', sasl: { mechanism: 'OAUTHBEARER' } },
      errors: [
        'kafka.sasl.oauthbearer.token_endpoint_url: is required with mechanism OAUTHBEARER',
        'kafka.sasl.oauthbearer.client_id: is required with mechanism OAUTHBEARER',
        'kafka.sasl.oauthbearer.client_secret: or sasl.oauthbearer.client_secret_file is required with mechanism OAUTHBEARER',
      ],
    },
    {
      kafka: { security_protocol: 'SASL_SSL', sasl: { mechanism: 'AWS_MSK_IAM', username: 'loopwatch' } },
      errors: [
        'kafka.sasl.aws.region: is required with mechanism AWS_MSK_IAM',
        'kafka.sasl.username: has no effect with mechanism AWS_MSK_IAM',
      ],
    },
    {
      kafka: { security_protocol: 'SASL_SSL', sasl: { ...bearerLogin, username: 'loopwatch' } },
      errors: ['kafka.sasl.username: has no effect with mechanism OAUTHBEARER'],
    },
    {
      kafka: { security_protocol: 'SASL_SSL', sasl: { ...login, oauthbearer: { scope: 'kafka' } } },
      errors: ['kafka.sasl.oauthbearer.scope: has no effect with mechanism SCRAM-SHA-512'],
    },
    {
      kafka: {
        security_protocol: 'SASL_SSL',
        sasl: { ...bearerLogin, oauthbearer: { ...bearer, client_secret_file: 'f' } },
      },
      errors: [
        'kafka.sasl.oauthbearer.client_secret: and sasl.oauthbearer.client_secret_file are both set: set only one of them',
      ],
    },
    {
      kafka: {
        security_protocol: 'SASL_SSL',
        sasl: { ...bearerLogin, oauthbearer: { ...bearer, token_endpoint_url: 'https://a:b@login/token' } },
      },
      errors: [
        'kafka.sasl.oauthbearer.token_endpoint_url: must not contain a login: set client_id and client_secret',
      ],
    },
    ...['auth', 'a-b', ''].map((name) => ({
      kafka: {
        security_protocol: 'SASL_SSL',
        sasl: { ...bearerLogin, oauthbearer: { ...bearer, extensions: { [name]: 'x' } } },
      },
      errors: [
        expect.stringContaining(
          'names of extensions must be letters only, and not auth',
        ) as unknown as string,
      ],
    })),
  ])('reject $kafka', ({ kafka, errors }) => {
    const result = resolve(kafka);
    const found = result.ok ? [] : result.errors;
    expect(found.map((error) => error.replace(/^loopwatch\.yaml: /, ''))).toEqual(errors);
  });

  it('name the allowed values without quoting a password', () => {
    const result = resolve({ security_protocol: 'SASL', sasl: { ...login, password: 12_345 } });
    expect(result).toMatchObject({ ok: false });
    const text = JSON.stringify(result);
    expect(text).toContain('SASL_PLAINTEXT');
    expect(text).toContain('kafka.sasl.password is ******');
    expect(text).not.toContain('12345');
  });

  it.each([
    { path: 'kafka.sasl.password', secret: true },
    { path: 'kafka.ssl.key_password', secret: true },
    { path: 'kafka.sasl.password_file', secret: false },
    { path: 'kafka.ssl.key_file', secret: false },
    { path: 'kafka.sasl.username', secret: false },
    { path: 'kafka.sasl.oauthbearer.client_secret', secret: true },
    { path: 'kafka.sasl.oauthbearer.client_secret_file', secret: false },
    { path: 'kafka.sasl.oauthbearer.token_endpoint_url', secret: false },
  ])('$path is a secret: $secret', ({ path, secret }) => {
    expect(isSecretPath(path)).toBe(secret);
  });
});
