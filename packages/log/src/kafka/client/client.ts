import { backoff, delay, within } from '@loopwatch/platform';
import kafkajs, {
  type Admin,
  type Kafka,
  type KafkaConfig,
  type logCreator,
  type SASLOptions,
} from 'kafkajs';
import { LogError } from '../../port/errors.ts';
import { registerCodecs } from '../codecs/codecs.ts';
import { lacksRight, toLogError, topicMissingMessage } from './errors.ts';
import { loginRefused } from './link-failure.ts';
import type { KafkaOptions } from './options.ts';
import { explainRefusal } from './refusal.ts';
import { createSocket } from './socket.ts';

export type { KafkaOptions, KafkaSasl } from './options.ts';

const defaultConnectTimeoutMs = 10_000;
/** A client that waits for ever asks again after so long. */
const attemptTimeoutMs = 30_000;

/**
 * kafkajs calls everything it is about to retry an error, in words of its own: those are for level debug. That a broker
 * is unavailable is told by its sockets, that it refuses a login here; what is final is thrown or passed to an observer.
 */
function forwardTo({ log, outages }: KafkaOptions): logCreator {
  return () =>
    ({ namespace, level, log: entry }) => {
      const own = ['timestamp', 'logger', 'message'];
      const fields = Object.fromEntries(Object.entries(entry).filter(([name]) => !own.includes(name)));
      const { message } = entry;
      const { broker } = fields;
      const isRefusal = level === kafkajs.logLevel.ERROR && namespace.includes('SaslAuthenticator');
      if (isRefusal && typeof broker === 'string') outages?.failed(broker, loginRefused(message));
      log?.('debug', `kafkajs ${namespace}: ${message}`, fields);
    };
}

/** A kafkajs client. Each consumer and producer takes its own: a client shares offset caches between its consumers. */
export function createKafkaClient(options: KafkaOptions): Kafka {
  registerCodecs();
  const { brokers, clientId, ssl, sasl, log } = options;
  const config: KafkaConfig = {
    brokers: [...brokers],
    clientId,
    connectionTimeout: Math.min(3_000, options.connectTimeoutMs ?? defaultConnectTimeoutMs),
    // Short, because the adapters retry for ever above it and rebuild what does not recover.
    retry: { initialRetryTime: 100, maxRetryTime: 2_000, retries: 5 },
    logLevel: log === undefined ? kafkajs.logLevel.NOTHING : kafkajs.logLevel.INFO,
    logCreator: forwardTo(options),
    socketFactory: (args) => createSocket(args, options.outages),
  };
  if (ssl !== undefined) config.ssl = ssl;
  // kafkajs' type wants one known mechanism at a time, all three take the same fields.
  // It hangs an object of its own on them.
  if (sasl !== undefined) config.sasl = { ...sasl } as SASLOptions;
  return new kafkajs.Kafka(config);
}

/**
 * Runs `use` with a connected admin client and disconnects it afterwards. Waits for the brokers up to
 * `connectTimeoutMs`, so that a cluster that is just starting is not a failure.
 *
 * @param doing What the caller is about to do, as in "Cannot <doing>".
 * @throws LogError `broker_unreachable` when nothing answered in time, `tls_failed` and `authentication_failed` at once,
 *   or what `use` met.
 */
export async function withAdmin<T>(
  options: KafkaOptions,
  doing: string,
  use: (admin: Admin) => Promise<T>,
): Promise<T> {
  const { brokers } = options;
  const deadline = Date.now() + (options.connectTimeoutMs ?? defaultConnectTimeoutMs);
  for (let attempt = 0; ; attempt += 1) {
    const admin = createKafkaClient(options).admin();
    const disconnect = () => admin.disconnect().catch(() => undefined);
    try {
      // A broker lets anybody connect; whether it serves this client shows in the first answer.
      const served = admin.connect().then(() => admin.describeCluster());
      const patience = Math.min(deadline - Date.now(), attemptTimeoutMs);
      await within(served, patience, () => unanswered(brokers, doing));
    } catch (error) {
      void disconnect();
      // The first time only: what is not clear by then is a broker that is still starting.
      const refusal = attempt === 0 ? await explainRefusal(options, doing, error) : undefined;
      const failure = refusal ?? toLogError(error, { brokers, doing });
      if (failure.code !== 'broker_unreachable' || Date.now() >= deadline) throw failure;
      await delay(Math.min(backoff(attempt, 250, 2_000), deadline - Date.now()));
      continue;
    }
    try {
      return await use(admin);
    } catch (error) {
      throw (await explainRefusal(options, doing, error)) ?? toLogError(error, { brokers, doing });
    } finally {
      await disconnect();
    }
  }
}

function unanswered(brokers: readonly string[], doing: string): LogError {
  return new LogError(
    'broker_unreachable',
    `Cannot ${doing}: no Kafka broker on ${brokers.join(', ')} answered in time. Check the address, and whether it needs TLS (kafka.security_protocol).`,
  );
}

/**
 * Checks that all topics exist, without creating any.
 *
 * @throws LogError `topic_missing` naming all that are missing and the command that creates them; `not_authorized` when
 *   one may be there, but not for this user's eyes.
 */
export async function requireTopics(
  admin: Admin,
  topics: readonly string[],
  brokers: readonly string[],
): Promise<void> {
  const listed = new Set(await admin.listTopics());
  const missing = topics.filter((topic) => !listed.has(topic));
  for (const topic of missing) {
    const refusal = await whyHidden(admin, topic);
    if (refusal !== undefined) {
      throw toLogError(refusal, { brokers, doing: `find topic ${topic}`, topics: [topic] });
    }
  }
  if (missing.length > 0) throw new LogError('topic_missing', topicMissingMessage(missing, brokers));
}

/**
 * A list of topics leaves out what the user may not see; asked for by name, the broker says so.
 *
 * @returns undefined for a topic that is not hidden, be it there or not.
 */
export async function whyHidden(admin: Admin, topic: string): Promise<unknown> {
  try {
    await admin.fetchTopicMetadata({ topics: [topic] });
    return undefined;
  } catch (error) {
    return lacksRight(error) ? error : undefined;
  }
}
