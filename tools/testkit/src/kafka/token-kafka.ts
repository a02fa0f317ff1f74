import { freePorts } from '../ports.ts';
import { archivedClasses } from './kafka-classes.ts';
import { javaRunner } from './kafka-java.ts';
import { launchBroker } from './kafka-launch.ts';
import { singleNodeProperties } from './kafka-properties.ts';
import { requireJars } from './kafka-runner.ts';
import { startTokenIssuer, type TokenIssuer } from './token-issuer.ts';

/** A real broker whose clients log in with access tokens. */
export interface TokenKafka extends AsyncDisposable {
  /** `host:port` of the listener for access tokens; it verifies their signatures. */
  readonly address: string;
  /** `host:port` of a plain text listener, for the test itself. */
  readonly plain: string;
  /** Whose tokens the broker accepts. */
  readonly issuer: TokenIssuer;
  stop(): Promise<void>;
}

const security = 'org.apache.kafka.common.security.oauthbearer';

/**
 * Starts a single broker with an OAUTHBEARER listener.
 *
 * @param reauthenticateMs after which the broker closes connections that have not authenticated again (KIP-368)
 * @throws Error with the command that installs what is missing, or with the broker's last output.
 */
export async function startTokenKafka(reauthenticateMs = 3_600_000): Promise<TokenKafka> {
  const jars = await requireJars();
  const [client, controller, tokens] = (await freePorts(3)) as [number, number, number];
  const [plain, address] = [`127.0.0.1:${client}`, `127.0.0.1:${tokens}`];
  const issuer = await startTokenIssuer();
  const listener = 'listener.name.tokens';
  const listeners = `PLAINTEXT://${plain},TOKENS://${address}`;
  const runner = await javaRunner(jars, {
    address: plain,
    quickStart: true,
    classes: await archivedClasses(jars),
    system: { 'org.apache.kafka.sasl.oauthbearer.allowed.urls': issuer.jwksUrl },
    properties: {
      ...singleNodeProperties({ client, controller }),
      listeners: `${listeners},CONTROLLER://127.0.0.1:${controller}`,
      'advertised.listeners': listeners,
      'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,TOKENS:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT',
      'inter.broker.listener.name': 'PLAINTEXT',
      [`${listener}.sasl.enabled.mechanisms`]: 'OAUTHBEARER',
      [`${listener}.oauthbearer.sasl.jaas.config`]: `${security}.OAuthBearerLoginModule required;`,
      [`${listener}.oauthbearer.sasl.server.callback.handler.class`]: `${security}.OAuthBearerValidatorCallbackHandler`,
      [`${listener}.oauthbearer.connections.max.reauth.ms`]: String(reauthenticateMs),
      // Kafka 4.1's default only reads the token, without verifying its signature.
      'sasl.oauthbearer.jwt.validator.class': `${security}.BrokerJwtValidator`,
      'sasl.oauthbearer.jwks.endpoint.url': issuer.jwksUrl,
      'sasl.oauthbearer.expected.issuer': issuer.url,
    },
  });
  try {
    const broker = await launchBroker(runner);
    const stop = async () => {
      await broker.kill();
      await runner.dispose();
      await issuer.stop();
    };
    return { address, plain, issuer, stop, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await runner.dispose();
    await issuer.stop();
    throw error;
  }
}
