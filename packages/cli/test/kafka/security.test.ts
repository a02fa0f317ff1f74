import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAuthority, startTokenIssuer } from '@loopwatch/testkit';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { effectiveValues } from '../../src/config/effective-values.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { UsageError } from '../../src/errors.ts';
import { kafkaSecurity } from '../../src/kafka/security.ts';

const folder = mkdtempSync(join(tmpdir(), 'loopwatch-security-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const DAY_MS = 86_400_000;
const authority = createAuthority('authority');
const { certificate, key } = authority.issue({ commonName: 'loopwatch' });
const other = authority.issue({ commonName: 'other' });
const encrypted = createPrivateKey(key)
  .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'key-secret' })
  .toString();
const expired = authority.issue({
  commonName: 'late',
  validFrom: new Date(Date.now() - 3 * DAY_MS),
  validTo: new Date(Date.now() - 2 * DAY_MS),
});
const early = authority.issue({
  commonName: 'early',
  validFrom: new Date(Date.now() + 2 * DAY_MS),
  validTo: new Date(Date.now() + 3 * DAY_MS),
});

const files = {
  ca: file('ca.pem', authority.certificate),
  bundle: file('bundle.pem', `# some authorities\n${expired.certificate}\n${authority.certificate}`),
  cert: file('cert.pem', certificate + authority.certificate),
  key: file('key.pem', key),
  encrypted: file('encrypted.pem', encrypted),
  otherKey: file('other-key.pem', other.key),
  expired: file('expired.pem', expired.certificate),
  expiredKey: file('expired-key.pem', expired.key),
  early: file('early.pem', early.certificate),
  earlyKey: file('early-key.pem', early.key),
  password: file('password', 'from a file\n'),
  keyPassword: file('key-password', 'key-secret\r\n'),
  empty: file('empty.pem', '\n'),
  text: file('text.pem', 'certificates are to come'),
  der: file('ca.der', new X509Certificate(authority.certificate).raw),
  jks: file('store.jks', Buffer.from('feedfeed0000000200000001', 'hex')),
  damaged: file('damaged.pem', certificate.replace('MII', 'MIX')),
  damagedKey: file('damaged-key.pem', key.replace('MII', 'MIX')),
};

/** The security options for these Kafka settings, set as with `--set`. */
function securityOf(settings: Readonly<Record<string, string>>) {
  const set = Object.entries(settings).map(([path, value]) => `kafka.${path}=${value}`);
  return kafkaSecurity(loadConfig({ set }, [], {}).settings.kafka);
}

const sasl = {
  security_protocol: 'SASL_SSL',
  'sasl.mechanism': 'SCRAM-SHA-512',
  'sasl.username': 'loopwatch',
};
const tls = { security_protocol: 'SSL' };

describe('kafkaSecurity', () => {
  it.each([
    { settings: {}, expected: {} },
    { settings: tls, expected: { ssl: {} } },
    { settings: { ...tls, 'ssl.ca_file': files.ca }, expected: { ssl: { ca: authority.certificate } } },
    {
      settings: { ...sasl, 'sasl.password': ' a=b c ' },
      expected: {
        ssl: {},
        sasl: { mechanism: 'scram-sha-512', username: 'loopwatch', password: ' a=b c ' },
      },
    },
    {
      settings: {
        ...sasl,
        security_protocol: 'SASL_PLAINTEXT',
        'sasl.mechanism': 'PLAIN',
        'sasl.password_file': files.password,
      },
      expected: { sasl: { mechanism: 'plain', username: 'loopwatch', password: 'from a file' } },
    },
    {
      settings: { ...tls, 'ssl.cert_file': files.cert, 'ssl.key_file': files.key },
      expected: { ssl: { cert: certificate + authority.certificate, key } },
    },
    {
      settings: {
        ...tls,
        'ssl.cert_file': files.cert,
        'ssl.key_file': files.encrypted,
        'ssl.key_password_file': files.keyPassword,
      },
      expected: {
        ssl: { cert: certificate + authority.certificate, key: encrypted, passphrase: 'key-secret' },
      },
    },
  ])('kafkaSecurity: converts $settings', ({ settings, expected }) => {
    expect(securityOf(settings)).toEqual(expected);
  });

  it('kafkaSecurity: converts a login with access tokens, and keeps one source of tokens', () => {
    const set = Object.entries({
      security_protocol: 'SASL_SSL',
      'sasl.mechanism': 'OAUTHBEARER',
      'sasl.oauthbearer.token_endpoint_url': 'https://login.example.com/token',
      'sasl.oauthbearer.client_id': 'loopwatch',
      'sasl.oauthbearer.client_secret_file': files.password,
      'sasl.oauthbearer.extensions': '{"logicalCluster":"lkc-1"}',
    }).map(([path, value]) => `kafka.${path}=${value}`);
    const { kafka } = loadConfig({ set }, [], {}).settings;
    const { sasl } = kafkaSecurity(kafka);
    expect(sasl).toMatchObject({ mechanism: 'oauthbearer', extensions: { logicalCluster: 'lkc-1' } });
    expect(kafkaSecurity(kafka).sasl).toBe(sasl);
  });

  it('kafkaSecurity: asks for tokens with the configured scope and audience', async () => {
    const issuer = await startTokenIssuer();
    onTestFinished(() => issuer.stop());
    const { sasl } = securityOf({
      security_protocol: 'SASL_SSL',
      'sasl.mechanism': 'OAUTHBEARER',
      'sasl.oauthbearer.token_endpoint_url': issuer.tokenEndpointUrl,
      'sasl.oauthbearer.client_id': issuer.client.clientId,
      'sasl.oauthbearer.client_secret': issuer.client.clientSecret,
      'sasl.oauthbearer.scope': 'kafka',
      'sasl.oauthbearer.audience': 'https://kafka.example.com',
    });
    if (sasl?.mechanism !== 'oauthbearer') throw new Error('another login');
    await sasl.tokens.token();
    expect(issuer.requests[0]?.form).toEqual({
      grant_type: 'client_credentials',
      scope: 'kafka',
      audience: 'https://kafka.example.com',
    });
  });

  it('kafkaSecurity: accepts a CA bundle with some expired certificates', () => {
    expect(securityOf({ ...tls, 'ssl.ca_file': files.bundle }).ssl).toMatchObject({
      ca: expect.stringContaining(authority.certificate) as string,
    });
  });

  it('kafkaSecurity: checks host names unless verify_hostname is false', () => {
    expect(securityOf(tls).ssl).not.toHaveProperty('checkServerIdentity');
    const { ssl } = securityOf({ ...tls, 'ssl.verify_hostname': 'false' });
    if (typeof ssl !== 'object') throw new Error('no TLS options');
    expect(ssl.checkServerIdentity?.('any', {} as never)).toBeUndefined();
  });

  it.each([
    { path: 'ssl.ca_file', name: join(folder, 'none.pem'), says: ['no such file'] },
    { path: 'ssl.ca_file', name: folder, says: ['it is a folder'] },
    { path: 'ssl.ca_file', name: files.empty, says: ['is empty'] },
    { path: 'ssl.ca_file', name: files.text, says: ['is not a PEM file'] },
    { path: 'ssl.ca_file', name: files.key, says: ['contains no certificate', 'it contains: PRIVATE KEY'] },
    { path: 'ssl.ca_file', name: files.damaged, says: ['certificate 1', 'is damaged'] },
    { path: 'ssl.ca_file', name: files.expired, says: ['CN=late expired on', 'Renew it'] },
    {
      path: 'ssl.ca_file',
      name: files.der,
      says: ['but a binary one', `openssl x509 -inform der -in ${files.der} -out new.pem`],
    },
    { path: 'ssl.ca_file', name: files.jks, says: ['a Java key store', 'keytool -importkeystore'] },
    { path: 'sasl.password_file', name: join(folder, 'none'), says: ['no such file'] },
    { path: 'sasl.password_file', name: files.empty, says: ['is empty'] },
  ])('kafkaSecurity: rejects $path $name', ({ path, name, says }) => {
    const others = path.startsWith('sasl') ? {} : { 'sasl.password': 'a' };
    const read = () => securityOf({ ...sasl, ...others, [path]: name });
    expect(read).toThrow(UsageError);
    for (const words of [`kafka.${path}: `, name, ...says]) expect(read).toThrow(words);
  });

  it.each([
    {
      what: 'a key of another certificate',
      settings: { 'ssl.cert_file': files.cert, 'ssl.key_file': files.otherKey },
      says: ['kafka.ssl.key_file', 'does not belong to the certificate', 'CN=loopwatch'],
    },
    {
      what: 'swapped key and certificate',
      settings: { 'ssl.cert_file': files.key, 'ssl.key_file': files.cert },
      says: ['kafka.ssl.cert_file', 'contains no certificate; it contains: PRIVATE KEY'],
    },
    {
      what: 'a certificate in place of the key',
      settings: { 'ssl.cert_file': files.cert, 'ssl.key_file': files.cert },
      says: ['kafka.ssl.key_file', 'contains no private key; it contains: CERTIFICATE'],
    },
    {
      what: 'a damaged key',
      settings: { 'ssl.cert_file': files.cert, 'ssl.key_file': files.damagedKey },
      says: ['kafka.ssl.key_file', 'the file is damaged'],
    },
    {
      what: 'an encrypted key without its password',
      settings: { 'ssl.cert_file': files.cert, 'ssl.key_file': files.encrypted },
      says: ['kafka.ssl.key_file', 'is encrypted', 'kafka.ssl.key_password_file'],
    },
    {
      what: 'a wrong key password',
      settings: {
        'ssl.cert_file': files.cert,
        'ssl.key_file': files.encrypted,
        'ssl.key_password': 'guessed',
      },
      says: ['kafka.ssl.key_file', 'the password is wrong'],
    },
    {
      what: 'an expired certificate',
      settings: { 'ssl.cert_file': files.expired, 'ssl.key_file': files.expiredKey },
      says: ['kafka.ssl.cert_file', 'CN=late expired on'],
    },
    {
      what: 'a certificate that is not yet valid',
      settings: { 'ssl.cert_file': files.early, 'ssl.key_file': files.earlyKey },
      says: ['kafka.ssl.cert_file', 'CN=early is not valid before', 'clock'],
    },
  ])('kafkaSecurity: rejects $what, without exposing secrets', ({ settings, says }) => {
    let message = '';
    try {
      securityOf({ ...tls, ...settings });
    } catch (error) {
      message = (error as UsageError).message;
    }
    for (const words of says) expect(message).toContain(words);
    expect(message).not.toContain('guessed');
    expect(message).not.toContain('BEGIN PRIVATE');
  });
});

describe('effectiveValues of kafka settings', () => {
  it('effective configuration: shows file names and hides passwords', () => {
    const set = Object.entries({ ...sasl, 'sasl.password': 'top-secret', 'ssl.ca_file': files.ca });
    const config = loadConfig({ set: set.map(([path, value]) => `kafka.${path}=${value}`) }, [], {});
    const values = new Map(effectiveValues(config).map(({ path, value }) => [path, value]));
    expect(values.get('kafka.sasl.password')).toBe('******');
    expect(values.get('kafka.sasl.username')).toBe('loopwatch');
    expect(values.get('kafka.ssl.ca_file')).toBe(files.ca);
    expect(values.get('kafka.ssl.key_password')).toBeNull();
    expect(JSON.stringify([...values])).not.toContain('top-secret');
  });
});
