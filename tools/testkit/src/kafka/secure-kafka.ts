import { freePorts } from '../ports.ts';
import { type Authority, createAuthority } from './certificates.ts';
import { archivedClasses } from './kafka-classes.ts';
import { javaRunner } from './kafka-java.ts';
import { launchBroker } from './kafka-launch.ts';
import { singleNodeProperties } from './kafka-properties.ts';
import { requireJars } from './kafka-runner.ts';

/** Name and password of a user of a {@link SecureKafka}. */
export interface KafkaUser {
  readonly username: string;
  readonly password: string;
}

/** A real broker with authentication and authorization. */
export interface SecureKafka extends AsyncDisposable {
  /** `host:port` of each listener; each advertises only itself. */
  readonly listeners: {
    /** Plain text with all permissions, for the test itself. */
    readonly plain: string;
    /** SASL without TLS: PLAIN, SCRAM-SHA-256, SCRAM-SHA-512. */
    readonly sasl: string;
    /** SASL over TLS: PLAIN and SCRAM-SHA-512. */
    readonly saslTls: string;
    /** TLS without client certificates, with all permissions. */
    readonly tls: string;
    /** TLS that requires a client certificate of the authority; `CN=loopwatch` has all permissions. */
    readonly mutualTls: string;
  };
  /** Issuer of the broker's certificate, valid for 127.0.0.1 only, and trusted by the broker. */
  readonly authority: Authority;
  /** Has all permissions. */
  readonly user: KafkaUser;
  /** Has no permissions, unless the test grants some (kafkajs' `admin.createAcls`). */
  readonly guest: KafkaUser;
  stop(): Promise<void>;
}

const names = ['plain', 'sasl', 'saslTls', 'tls', 'mutualTls'] as const;
const protocols = {
  plain: 'PLAINTEXT',
  sasl: 'SASL_PLAINTEXT',
  saslTls: 'SASL_SSL',
  tls: 'SSL',
  mutualTls: 'SSL',
} as const;
const mechanisms = {
  sasl: ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'],
  saslTls: ['PLAIN', 'SCRAM-SHA-512'],
} as const;

const user = { username: 'loopwatch', password: 'correct horse = staple' };
const guest = { username: 'guest', password: 'guest-secret' };
const users = [user, guest];

/**
 * Starts a single broker with authentication by password and by certificate, and with ACLs.
 *
 * @throws Error with the command that installs what is missing, or with the broker's last output.
 */
export async function startSecureKafka(): Promise<SecureKafka> {
  const jars = await requireJars();
  const ports = await freePorts(names.length + 1);
  const addresses = names.map((_, index) => `127.0.0.1:${ports[index] as number}`);
  const controller = ports.at(-1) as number;
  const authority = createAuthority('Loopwatch test authority');
  const [plain = ''] = addresses;
  const runner = await javaRunner(jars, {
    address: plain,
    quickStart: true,
    classes: await archivedClasses(jars),
    properties: {
      ...singleNodeProperties({ client: ports[0] as number, controller }),
      ...listenerProperties(addresses, controller),
      ...tlsProperties(authority),
      ...saslProperties(),
      'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
      'super.users': `User:ANONYMOUS;User:${user.username};User:CN=${user.username}`,
    },
    format: scramUsers(),
  });
  try {
    const broker = await launchBroker(runner);
    const stop = async () => {
      await broker.kill();
      await runner.dispose();
    };
    const listeners = Object.fromEntries(names.map((name, index) => [name, addresses[index]]));
    return {
      listeners: listeners as SecureKafka['listeners'],
      authority,
      user,
      guest,
      stop,
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await runner.dispose();
    throw error;
  }
}

function listenerProperties(addresses: readonly string[], controller: number): Record<string, string> {
  const listeners = names.map((name, index) => `${name.toUpperCase()}://${addresses[index] as string}`);
  const map = names.map((name) => `${name.toUpperCase()}:${protocols[name]}`);
  return {
    listeners: [...listeners, `CONTROLLER://127.0.0.1:${controller}`].join(','),
    'advertised.listeners': listeners.join(','),
    'listener.security.protocol.map': [...map, 'CONTROLLER:PLAINTEXT'].join(','),
    'inter.broker.listener.name': 'PLAIN',
  };
}

function tlsProperties(authority: Authority): Record<string, string> {
  const { certificate, key } = authority.issue({ commonName: 'broker', addresses: ['127.0.0.1'] });
  return {
    'ssl.keystore.type': 'PEM',
    'ssl.keystore.certificate.chain': certificate,
    'ssl.keystore.key': key,
    'ssl.truststore.type': 'PEM',
    'ssl.truststore.certificates': authority.certificate,
    'listener.name.mutualtls.ssl.client.auth': 'required',
  };
}

function saslProperties(): Record<string, string> {
  const passwords = users.map(({ username, password }) => `user_${username}="${password}"`).join(' ');
  const plain = `org.apache.kafka.common.security.plain.PlainLoginModule required ${passwords};`;
  const scram = 'org.apache.kafka.common.security.scram.ScramLoginModule required;';
  const entries = Object.entries(mechanisms).flatMap(([listener, enabled]) => {
    const prefix = `listener.name.${listener.toLowerCase()}`;
    const modules = enabled.map((mechanism) => [
      `${prefix}.${mechanism.toLowerCase()}.sasl.jaas.config`,
      mechanism === 'PLAIN' ? plain : scram,
    ]);
    return [[`${prefix}.sasl.enabled.mechanisms`, enabled.join(',')], ...modules];
  });
  return Object.fromEntries(entries) as Record<string, string>;
}

/** Kafka keeps them in its storage, PLAIN's in the settings above. */
function scramUsers(): string[] {
  return ['SCRAM-SHA-256', 'SCRAM-SHA-512'].flatMap((mechanism) =>
    users.flatMap(({ username, password }) => [
      '--add-scram',
      `${mechanism}=[name="${username}",password="${password}"]`,
    ]),
  );
}
