import { createAuthority, type SecureKafka, startSecureKafka, uniqueName, waitFor } from '@loopwatch/testkit';
import kafkajs from 'kafkajs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  checkDurability,
  createKafkaSink,
  ensureTopics,
  type KafkaOptions,
  type KafkaPasswordLogin,
  type KafkaRight,
  type LogErrorCode,
  missingRights,
  requireRights,
} from '../../src/index.ts';
import { follow, newReader, newTopic, numbered, publish } from './harness.ts';

let kafka: SecureKafka;

beforeAll(async () => {
  kafka = await startSecureKafka();
});

afterAll(() => kafka.stop());

type Listener = keyof SecureKafka['listeners'];

/** Options for a listener; with TLS, the broker's authority is trusted. */
function at(listener: Listener, options: Partial<KafkaOptions> = {}): KafkaOptions {
  const tls = listener === 'plain' || listener === 'sasl' ? {} : { ssl: { ca: kafka.authority.certificate } };
  return { brokers: [kafka.listeners[listener]], clientId: 'log-test', ...tls, ...options };
}

const login = (mechanism: KafkaPasswordLogin['mechanism'], changes: Partial<KafkaPasswordLogin> = {}) => ({
  sasl: { mechanism, ...kafka.user, ...changes },
});

function identified(authority = kafka.authority) {
  const { certificate, key } = authority.issue({ commonName: 'loopwatch' });
  return { ssl: { ca: kafka.authority.certificate, cert: certificate, key } };
}

describe('Kafka sink and reader', () => {
  it.each<{ how: string; options: () => KafkaOptions }>([
    { how: 'SASL PLAIN', options: () => at('sasl', login('plain')) },
    { how: 'SASL SCRAM-SHA-256', options: () => at('sasl', login('scram-sha-256')) },
    { how: 'SASL SCRAM-SHA-512', options: () => at('sasl', login('scram-sha-512')) },
    { how: 'SASL PLAIN over TLS', options: () => at('saslTls', login('plain')) },
    { how: 'SASL SCRAM-SHA-512 over TLS', options: () => at('saslTls', login('scram-sha-512')) },
    { how: 'TLS', options: () => at('tls') },
    { how: 'a client certificate', options: () => at('mutualTls', identified()) },
  ])('work with $how', async ({ options }) => {
    const secured = options();
    const topic = await newTopic(secured);
    const { reader, values } = await follow(secured, topic);
    await publish(secured, numbered(topic, 100));
    await waitFor(() => values().length === 100);
    expect(values()).toEqual(numbered(topic, 100).map(({ value }) => value));
    await reader.stop();
  });
});

interface Refusal {
  readonly what: string;
  readonly options: () => KafkaOptions;
  readonly code: LogErrorCode;
  /** All of them are in the message. */
  readonly says: readonly string[];
}

const refusals: readonly Refusal[] = [
  {
    what: 'a wrong password (PLAIN)',
    options: () => at('sasl', login('plain', { password: 'wrong-password' })),
    code: 'authentication_failed',
    says: ['Invalid username or password', 'Check the user name, the password'],
  },
  {
    what: 'a wrong password (SCRAM)',
    options: () => at('saslTls', login('scram-sha-512', { password: 'wrong-password' })),
    code: 'authentication_failed',
    says: ['invalid credentials with SASL mechanism SCRAM-SHA-512'],
  },
  {
    what: 'an unknown user',
    options: () => at('sasl', login('scram-sha-256', { username: 'nobody' })),
    code: 'authentication_failed',
    says: ['invalid credentials'],
  },
  {
    what: 'a mechanism that the broker does not support',
    options: () => at('saslTls', login('scram-sha-256')),
    code: 'authentication_failed',
    says: ['does not support the SASL mechanism SCRAM-SHA-256; it offers PLAIN, SCRAM-SHA-512'],
  },
  {
    what: 'a missing login',
    options: () => at('sasl'),
    code: 'authentication_failed',
    says: ['requires a login (it offers', 'Set kafka.security_protocol to SASL_PLAINTEXT'],
  },
  {
    what: 'a missing login over TLS',
    options: () => at('saslTls'),
    code: 'authentication_failed',
    says: ['requires a login (it offers PLAIN, SCRAM-SHA-512)', 'security_protocol to SASL_SSL'],
  },
  {
    what: 'a SASL login on a listener without SASL',
    options: () => at('plain', login('plain')),
    code: 'authentication_failed',
    says: ['does not accept SASL logins', 'Set kafka.security_protocol to PLAINTEXT or SSL'],
  },
  {
    what: 'TLS on a plain port',
    options: () => at('plain', { ssl: { ca: kafka.authority.certificate } }),
    code: 'tls_failed',
    says: ['speaks plain text on this port, not TLS', 'or set kafka.security_protocol to PLAINTEXT'],
  },
  {
    what: 'SASL over TLS on a port without TLS',
    options: () => at('sasl', { ssl: { ca: kafka.authority.certificate }, ...login('plain') }),
    code: 'tls_failed',
    says: ['speaks plain text on this port', 'or set kafka.security_protocol to SASL_PLAINTEXT'],
  },
  {
    what: 'plain text on a TLS port',
    options: () => at('tls', { ssl: false }),
    code: 'tls_failed',
    says: [
      'speaks TLS on this port, not plain text',
      'Set kafka.security_protocol to SSL',
      'kafka.ssl.ca_file',
    ],
  },
  {
    what: 'a login in plain text on a TLS port',
    options: () => at('saslTls', { ssl: false, ...login('plain') }),
    code: 'tls_failed',
    says: ['speaks TLS on this port', 'Set kafka.security_protocol to SASL_SSL'],
  },
  {
    what: 'a certificate authority that the client does not trust',
    options: () => at('tls', { ssl: true }),
    code: 'tls_failed',
    says: ['signed by an authority that is not trusted here', 'kafka.ssl.ca_file'],
  },
  {
    what: 'a different certificate authority from the broker’s',
    options: () => at('saslTls', { ssl: { ca: createAuthority('other').certificate }, ...login('plain') }),
    code: 'tls_failed',
    says: ['signed by an authority that is not trusted here'],
  },
  {
    what: 'a host name that is not in the certificate',
    options: () => ({
      ...at('tls'),
      brokers: [kafka.listeners.tls.replace('127.0.0.1', 'localhost')],
    }),
    code: 'tls_failed',
    says: ['its certificate does not match the host name', 'Host: localhost', 'kafka.ssl.verify_hostname'],
  },
  {
    what: 'a missing client certificate',
    options: () => at('mutualTls'),
    code: 'tls_failed',
    says: ['requires a client certificate that it trusts', 'kafka.ssl.cert_file and kafka.ssl.key_file'],
  },
  {
    what: 'a client certificate from an untrusted authority',
    options: () => at('mutualTls', identified(createAuthority('stranger'))),
    code: 'tls_failed',
    says: ['requires a client certificate that it trusts', 'certificate unknown'],
  },
];

const starts = [
  (options: KafkaOptions) => ensureTopics({ ...options, create: false }, []),
  (options: KafkaOptions) => createKafkaSink(options).open(),
  (options: KafkaOptions) => newReader(options, uniqueName('any')).run(() => undefined),
];

describe('Kafka: a start that the brokers reject', () => {
  it.each(refusals.map((refusal, index) => ({ ...refusal, start: starts[index % starts.length]! })))(
    'is reported at once with the reason: $what',
    async ({ options, code, says, start }) => {
      const secured = options();
      const [broker = ''] = secured.brokers;
      const began = Date.now();
      const failure = await start(secured).then(
        () => undefined,
        (error: unknown) => error as Error,
      );
      expect(failure).toMatchObject({ code });
      for (const words of [broker, ...says]) expect(failure?.message).toContain(words);
      // Not only when the time for a broker that is still starting has passed.
      expect(Date.now() - began).toBeLessThan(8_000);
      expect(failure?.message).not.toContain('wrong-password');
      expect(failure?.message).not.toContain(kafka.user.password);
    },
  );
});

/** Grants the guest a right, as a cluster administrator would. */
async function grant({ resource, name, operation }: KafkaRight): Promise<void> {
  const admin = new kafkajs.Kafka({
    brokers: [kafka.listeners.plain],
    logLevel: kafkajs.logLevel.NOTHING,
  }).admin();
  await admin.connect();
  const { AclResourceTypes, AclOperationTypes, AclPermissionTypes, ResourcePatternTypes } = kafkajs;
  const types = {
    topic: AclResourceTypes.TOPIC,
    group: AclResourceTypes.GROUP,
    'transactional-id': AclResourceTypes.TRANSACTIONAL_ID,
  };
  const acl = {
    resourceType: types[resource],
    resourceName: name,
    resourcePatternType: ResourcePatternTypes.LITERAL,
    principal: `User:${kafka.guest.username}`,
    host: '*',
    operation: operation === 'Read' ? AclOperationTypes.READ : AclOperationTypes.WRITE,
    permissionType: AclPermissionTypes.ALLOW,
  };
  await admin.createAcls({ acl: [acl] });
  await admin.disconnect();
}

describe('Kafka rights', () => {
  const asGuest = () => at('sasl', { sasl: { mechanism: 'scram-sha-256', ...kafka.guest } });

  it('are distinguished from topics that do not exist', async () => {
    const topic = await newTopic(at('plain'));
    const run = newReader(asGuest(), topic).run(() => undefined);
    await expect(run).rejects.toMatchObject({
      code: 'not_authorized',
      message: expect.stringContaining(
        `Grant this Kafka user the permission (ACL) on topic ${topic}`,
      ) as string,
    });
    await expect(createKafkaSink(asGuest()).open()).rejects.toMatchObject({
      code: 'not_authorized',
      message: expect.stringContaining('or Write on its output topics') as string,
    });
  });

  it('are found missing one by one, and are sufficient together', async () => {
    const topic = await newTopic(at('plain'));
    const group = uniqueName('group');
    const rights: KafkaRight[] = [
      { resource: 'topic', name: topic, operation: 'Read' },
      { resource: 'topic', name: topic, operation: 'Write' },
      { resource: 'group', name: group, operation: 'Read' },
      { resource: 'transactional-id', name: `${group}/0`, operation: 'Write' },
    ];
    expect(await missingRights(at('sasl', login('plain')), 'work', rights)).toEqual([]);
    for (let given = 0; given < rights.length; given += 1) {
      const lacks = await waitFor(
        async () => {
          const missing = await missingRights(asGuest(), 'work', rights);
          return missing.length === rights.length - given && missing;
        },
        { describe: `${rights.length - given} rights to be missing` },
      );
      expect(lacks).toEqual(rights.slice(given));
      await grant(rights[given]!);
    }
    await waitFor(async () => (await missingRights(asGuest(), 'work', rights)).length === 0);
    await requireRights(asGuest(), 'work', rights);
    await publish(asGuest(), numbered(topic, 10));
    const { values } = await follow(asGuest(), topic);
    await waitFor(() => values().length === 10);
    // Its settings are not for the guest's eyes, which is no fault.
    const spec = { name: topic, partitions: 2, config: { 'cleanup.policy': 'compact' } };
    const [report] = await ensureTopics({ ...asGuest(), create: false }, [spec]);
    expect(report).toMatchObject({
      status: 'differs',
      details: [expect.stringContaining('has 1 partition')],
    });
    expect((await checkDurability(asGuest(), [topic])).hidden).toEqual([
      ...[topic, '__transaction_state', '__consumer_offsets'],
    ]);
  });

  it('are named with the command that grants them when missing', async () => {
    const topic = await newTopic(at('plain'));
    const broker = kafka.listeners.sasl;
    await expect(
      requireRights(asGuest(), 'watch', [{ resource: 'topic', name: topic, operation: 'Read' }]),
    ).rejects.toMatchObject({
      code: 'not_authorized',
      message:
        `Cannot watch on ${broker}: this Kafka user lacks the permission Read on topic ${topic}. Grant it with: ` +
        `kafka-acls.sh --bootstrap-server ${broker} --add --allow-principal User:guest --operation Read --topic ${topic}`,
    });
  });
});
