import type { Socket } from 'node:net';
import { backoff } from '@loopwatch/contract';
import { atMost, delay, within } from '@loopwatch/platform';
import kafkajs, {
  type Admin,
  type Kafka,
  type KafkaConfig,
  type logCreator,
  type Mechanism,
  type SASLOptions,
} from 'kafkajs';
import { LogError } from '../../port/errors.ts';
import { registerCodecs } from '../codecs/codecs.ts';
import { bearerLogin } from '../login/bearer-login.ts';
import { clearBuffersOnConnect } from './connection-buffers.ts';
import { lacksRight, toLogError, topicMissingMessage } from './errors.ts';
import { loginFailed } from './link-failure.ts';
import { connectTimeoutOf, type KafkaOptions, type KafkaSasl } from './options.ts';
import { explainRefusal } from './refusal.ts';
import { createSocket } from './socket.ts';
import { timeouts } from './timeouts.ts';

export type { KafkaOptions, KafkaPasswordLogin, KafkaSasl } from './options.ts';

/** Timeout of everything that is asked of a cluster after that; creating many topics takes seconds. */
const USE_TIMEOUT_MS = 60_000;
const DISCONNECT_TIMEOUT_MS = 1_000;
/** Timeout of one connection attempt, also when `connectTimeoutMs` is infinite. */
const ATTEMPT_TIMEOUT_MS = 30_000;

/**
 * Logs the messages of kafkajs at level debug, because it reports everything it is about to retry as an error. The sockets
 * report unavailable brokers, this function reports rejected logins, and final failures are thrown or passed to an observer.
 */
function forwardTo({ log, outages }: KafkaOptions): logCreator {
  return () =>
    ({ namespace, level, log: entry }) => {
      const own = ['timestamp', 'logger', 'message'];
      const fields = Object.fromEntries(Object.entries(entry).filter(([name]) => !own.includes(name)));
      const { message } = entry;
      const { broker } = fields;
      const isRefusal = level === kafkajs.logLevel.ERROR && namespace.includes('SaslAuthenticator');
      if (isRefusal && typeof broker === 'string') outages?.failed(broker, loginFailed(message, fields));
      log?.('debug', `kafkajs ${namespace}: ${message}`, fields);
    };
}

/**
 * A kafkajs client. Each consumer and producer needs its own, because a client shares offset caches between its consumers.
 *
 * @param onSocket called with each of its connections
 */
export function createKafkaClient(options: KafkaOptions, onSocket?: (socket: Socket) => void): Kafka {
  registerCodecs();
  clearBuffersOnConnect();
  const { brokers, clientId, ssl, sasl, log } = options;
  const config: KafkaConfig = {
    brokers: [...brokers],
    clientId,
    connectionTimeout: Math.min(3_000, connectTimeoutOf(options)),
    // Short, because the adapters retry indefinitely on top of it and replace clients that do not recover.
    retry: { initialRetryTime: 100, maxRetryTime: timeouts.retry, retries: 5 },
    logLevel: log === undefined ? kafkajs.logLevel.NOTHING : kafkajs.logLevel.INFO,
    logCreator: forwardTo(options),
    socketFactory: (args) => {
      const socket = createSocket(args, options.outages);
      onSocket?.(socket);
      return socket;
    },
  };
  if (ssl !== undefined) config.ssl = ssl;
  if (sasl !== undefined) config.sasl = mechanismOf(sasl);
  return new kafkajs.Kafka(config);
}

function mechanismOf(sasl: KafkaSasl): SASLOptions | Mechanism {
  if (sasl.mechanism === 'oauthbearer') return bearerLogin(sasl.tokens, sasl.extensions);
  // A copy, because kafkajs adds a property. Its type requires one literal mechanism, but all three have the same fields.
  return { ...sasl } as SASLOptions;
}

/**
 * Runs `use` with a connected admin client and disconnects it afterwards. Waits up to `connectTimeoutMs` for the brokers, so
 * that a cluster that is still starting is not a failure.
 *
 * @param doing What the caller is about to do, as in "Cannot <doing>".
 * @throws LogError `broker_unreachable` when no broker answered in time, `tls_failed` and `authentication_failed` at once,
 *   or the error of `use`.
 */
export async function withAdmin<T>(
  options: KafkaOptions,
  doing: string,
  use: (admin: Admin) => Promise<T>,
): Promise<T> {
  const { brokers } = options;
  const deadline = performance.now() + connectTimeoutOf(options);
  let latest: LogError | undefined;
  for (let attempt = 0; ; attempt += 1) {
    const sockets = new ClientSockets();
    const admin = createKafkaClient(options, (socket) => sockets.add(socket)).admin();
    try {
      // A successful connect proves little: the first request shows whether the broker accepts this client.
      const served = admin.connect().then(() => admin.describeCluster());
      const timeoutMs = Math.min(deadline - performance.now(), ATTEMPT_TIMEOUT_MS);
      await within(served, timeoutMs, () => latest ?? unanswered(brokers, doing));
    } catch (error) {
      sockets.close();
      // Only on the first attempt: afterwards, the broker is most likely still starting.
      const refusal = attempt === 0 ? await explainRefusal(options, doing, error) : undefined;
      const failure = refusal ?? toLogError(error, { brokers, doing });
      if (failure.code !== 'broker_unreachable' || performance.now() >= deadline) throw failure;
      latest = failure;
      await delay(Math.min(backoff(attempt, 250, 2_000), deadline - performance.now()));
      continue;
    }
    try {
      return await within(use(admin), USE_TIMEOUT_MS, () => unanswered(brokers, doing));
    } catch (error) {
      throw (await explainRefusal(options, doing, error)) ?? toLogError(error, { brokers, doing });
    } finally {
      const disconnected = admin.disconnect().catch(() => undefined);
      await atMost(disconnected, DISCONNECT_TIMEOUT_MS);
      sockets.close();
    }
  }
}

/** kafkajs waits for pending answers before it disconnects, which keeps a command running long after its last word. */
class ClientSockets {
  readonly #sockets: Socket[] = [];
  #isClosed = false;

  add(socket: Socket): void {
    this.#sockets.push(socket);
    if (this.#isClosed) this.close();
  }

  close(): void {
    this.#isClosed = true;
    // kafkajs retries after any error; one without a message of its own is reported as "no answer".
    for (const socket of this.#sockets.splice(0)) {
      if (!socket.destroyed) socket.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' }));
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
 * @throws LogError `topic_missing` naming all missing topics and the command that creates them; `not_authorized` when this
 *   user may not see whether a topic exists.
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
 * The topic list omits topics that the user may not describe; asked for one by name, the broker reports it.
 *
 * @returns the broker's authorization error; undefined for any other topic, whether it exists or not.
 */
export async function whyHidden(admin: Admin, topic: string): Promise<unknown> {
  try {
    await admin.fetchTopicMetadata({ topics: [topic] });
    return undefined;
  } catch (error) {
    return lacksRight(error) ? error : undefined;
  }
}
