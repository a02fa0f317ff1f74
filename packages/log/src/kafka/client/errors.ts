import { messageOf } from '@loopwatch/contract';
import { LogError, type LogErrorCode } from '../../port/errors.ts';
import { tokenErrorIn } from '../login/token-error.ts';
import { explainTlsFailure } from './tls-errors.ts';

/** The fields kafkajs sets on its errors. Its error classes wrap each other, so only these fields distinguish them. */
interface KafkaFailure {
  readonly name: string;
  /** The broker's error, such as `MESSAGE_TOO_LARGE`. */
  readonly type: string | undefined;
  /** The system's error, such as `ECONNREFUSED`. */
  readonly code: string | undefined;
  readonly retriable: boolean | undefined;
  /** `host:port` of the broker involved, if known. */
  readonly broker: string | undefined;
}

/** Where a failure happened, for its message. */
export interface KafkaFailureContext {
  readonly brokers: readonly string[];
  /** What was being done, as in "Cannot <doing>". */
  readonly doing: string;
  readonly topics?: readonly string[];
}

const unreachableNames = new Set([
  'KafkaJSBrokerNotFound',
  'KafkaJSConnectionClosedError',
  'KafkaJSConnectionError',
  'KafkaJSGroupCoordinatorNotFound',
  'KafkaJSLockTimeout',
  'KafkaJSMetadataNotLoaded',
  'KafkaJSNoBrokerAvailableError',
  'KafkaJSRequestTimeoutError',
  'KafkaJSTopicMetadataNotLoaded',
]);
const unauthenticatedTypes = new Set([
  'ILLEGAL_SASL_STATE',
  'SASL_AUTHENTICATION_FAILED',
  'UNSUPPORTED_SASL_MECHANISM',
]);
const tooLargeTypes = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE']);
const refusedTypes = new Set([
  ...tooLargeTypes,
  'INVALID_RECORD',
  'INVALID_TIMESTAMP',
  'UNSUPPORTED_FOR_MESSAGE_FORMAT',
]);
const lostTypes = new Set([
  'FENCED_INSTANCE_ID',
  'ILLEGAL_GENERATION',
  'NOT_COORDINATOR_FOR_GROUP',
  'REBALANCE_IN_PROGRESS',
  'UNKNOWN_MEMBER_ID',
]);
const renewTypes = new Set([
  'INVALID_PRODUCER_EPOCH',
  'INVALID_PRODUCER_ID_MAPPING',
  'OUT_OF_ORDER_SEQUENCE_NUMBER',
  'UNKNOWN_PRODUCER_ID',
]);

const authorizationFailed = '_AUTHORIZATION_FAILED';

function describe(error: Error): KafkaFailure {
  const field = (name: string): unknown => (error as unknown as Record<string, unknown>)[name];
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  const retriable = field('retriable');
  return {
    name: error.name,
    type: text(field('type')),
    code: text(field('code')),
    retriable: typeof retriable === 'boolean' ? retriable : undefined,
    broker: text(field('broker')),
  };
}

/** The failures, outermost first: kafkajs wraps the broker's error in "retries exceeded" and "non-retriable". */
function chain(error: unknown): KafkaFailure[] {
  const failures: KafkaFailure[] = [];
  for (let next = error; next instanceof Error && failures.length < 10; next = next.cause) {
    failures.push(describe(next));
  }
  return failures;
}

function codeOf(error: unknown): LogErrorCode {
  const token = tokenErrorIn(error);
  // An issuer that does not answer is waited for, like a broker.
  if (token !== undefined) return token.isTransient ? 'broker_unreachable' : 'authentication_failed';
  for (const { name, type = '', code = '' } of chain(error)) {
    if (explainTlsFailure(code) !== undefined) return 'tls_failed';
    if (name === 'KafkaJSSASLAuthenticationError' || unauthenticatedTypes.has(type)) {
      return 'authentication_failed';
    }
    if (type === 'UNKNOWN_TOPIC_OR_PARTITION' || type === 'INVALID_TOPIC_EXCEPTION') return 'topic_missing';
    if (type.endsWith(authorizationFailed)) return 'not_authorized';
    if (tooLargeTypes.has(type)) return 'record_too_large';
    if (lostTypes.has(type)) return 'partition_lost';
    if (unreachableNames.has(name) || code.startsWith('ECONN') || code === 'ENOTFOUND') {
      return 'broker_unreachable';
    }
  }
  return 'request_failed';
}

function messageFor(code: LogErrorCode, error: unknown, context: KafkaFailureContext): string {
  const brokers = context.brokers.join(', ');
  const cannot = `Cannot ${context.doing} on ${brokers}: ${messageOf(error)}.`;
  const topics = context.topics ?? [];
  const token = tokenErrorIn(error);
  if (token !== undefined) {
    const { message, advice = 'The request is retried.' } = token;
    return `Cannot ${context.doing} on ${brokers}: ${message}. ${advice}`;
  }
  switch (code) {
    case 'broker_unreachable':
      return unreachableMessage(error, context);
    case 'tls_failed':
      return tlsMessage(error, context);
    case 'topic_missing':
      return topicMissingMessage(topics, context.brokers);
    case 'authentication_failed':
      if (chain(error).some(({ type }) => type === 'ILLEGAL_SASL_STATE')) {
        return `Cannot ${context.doing}: the broker on ${brokers} does not accept SASL logins on this port. Set kafka.security_protocol to PLAINTEXT or SSL, or use the address of its SASL listener.`;
      }
      return `${cannot} Check the user name, the password and the SASL mechanism in the kafka settings.`;
    case 'not_authorized':
      return `${cannot} Grant this Kafka user the permission (ACL) on ${resourceOf(error, topics)}.`;
    case 'record_too_large':
      return `${cannot} Raise max.message.bytes of ${topics.join(', ')}, or send smaller records.`;
    case 'partition_lost':
      return `${cannot} The partition was reassigned; its new owner processes these records again.`;
    default:
      return cannot;
  }
}

/** Distinguishes an unreachable bootstrap broker from a bootstrap broker that advertises an unreachable address. */
function unreachableMessage(error: unknown, { brokers, doing }: KafkaFailureContext): string {
  if (chain(error).some(({ name }) => name === 'KafkaJSGroupCoordinatorNotFound')) {
    return `Cannot ${doing}: no broker on ${brokers.join(', ')} names a coordinator for the group. Either the cluster is not ready yet, or this Kafka user may not read the group; \`loopwatch doctor\` shows which.`;
  }
  const other = chain(error).find(({ broker }) => broker !== undefined && !brokers.includes(broker))?.broker;
  if (other !== undefined) {
    return `Cannot ${doing}: the cluster on ${brokers.join(', ')} advertises the broker ${other}, which does not answer (${messageOf(error)}). Set its advertised.listeners to an address that is reachable from here.`;
  }
  return `Cannot ${doing}: no Kafka broker answers on ${brokers.join(', ')} (${messageOf(error)}). Start Kafka there, or set the right address with --brokers or KAFKA_BROKERS.`;
}

function tlsMessage(error: unknown, { brokers, doing }: KafkaFailureContext): string {
  const failure = chain(error).find(({ code = '' }) => explainTlsFailure(code) !== undefined);
  const broker = failure?.broker ?? brokers.join(', ');
  // OpenSSL's messages have the form `thread:error:number:library:function:reason:file:line:`.
  const reason = messageOf(error)
    .replace(/^Connection error: /, '')
    .replace(/^[0-9A-F]+:error:[0-9A-F]+:[^:]*:[^:]*:([^:]*):.*$/s, '$1');
  return `Cannot ${doing}: no TLS connection to the broker on ${broker}: ${explainTlsFailure(failure?.code ?? '') ?? ''}. (${reason})`;
}

/** The resource on which the right is missing. */
function resourceOf(error: unknown, topics: readonly string[]): string {
  const type = chain(error).find(({ type = '' }) => type.endsWith(authorizationFailed))?.type;
  if (type === `GROUP${authorizationFailed}`) return 'its consumer group: Read on the group';
  if (type === `TRANSACTIONAL_ID${authorizationFailed}`) {
    return 'its transactional ids: Write and Describe on those that start with the name of the group';
  }
  if (type === `TOPIC${authorizationFailed}` && topics.length > 0) return `topic ${topics.join(', ')}`;
  // The error that an idempotent producer gets if it may not write to any topic.
  return 'the cluster, or Write on its output topics';
}

/** The sentence for topics that do not exist, with the command that creates them. */
export function topicMissingMessage(topics: readonly string[], brokers: readonly string[]): string {
  const list = topics.join(', ');
  const does = topics.length === 1 ? `Topic ${list} does` : `Topics ${list} do`;
  return `${does} not exist on ${brokers.join(', ')}. Create ${topics.length === 1 ? 'it' : 'them'} with: npx loopwatch topics --brokers ${brokers.join(',')}`;
}

/** Converts an error of kafkajs to a {@link LogError}; a LogError is returned unchanged. */
export function toLogError(error: unknown, context: KafkaFailureContext): LogError {
  if (error instanceof LogError) return error;
  const code = codeOf(error);
  return new LogError(code, messageFor(code, error, context), { cause: error });
}

/** Whether the same request can succeed later, because the connection or the cluster failed, not the request. */
export function isTransient(error: unknown): boolean {
  if (error instanceof LogError && error.cause === undefined)
    return error.code === 'broker_unreachable' || error.code === 'not_written';
  const code = codeOf(error);
  if (code === 'broker_unreachable') return true;
  return code === 'request_failed' && chain(error).at(-1)?.retriable === true;
}

/** Whether the brokers reject the record itself, so that a retry cannot succeed. */
export function isRecordRefused(error: unknown): boolean {
  return chain(error).some(({ type = '' }) => refusedTypes.has(type));
}

/** Whether a broker refuses to store a record because its timestamp is too far in the future or the past. */
export function isTimeRefused(error: unknown): boolean {
  return chain(error).some(({ type }) => type === 'INVALID_TIMESTAMP');
}

/** Whether a reachable broker closed the connection, as it does when the client uses the wrong protocol. */
export function isRefused(error: unknown): boolean {
  return chain(error).some(
    ({ name, code = '' }) =>
      name === 'KafkaJSConnectionClosedError' || code === 'ECONNRESET' || code === 'EPROTO',
  );
}

/** Whether the user is authenticated but not authorized. */
export function lacksRight(error: unknown): boolean {
  return codeOf(error) === 'not_authorized';
}

/** Whether the broker does not support the requested SASL mechanism. */
export function needsOtherMechanism(error: unknown): boolean {
  return chain(error).some(({ type }) => type === 'UNSUPPORTED_SASL_MECHANISM');
}

/** Whether only a new producer can continue: the brokers forgot this one, or it does not know a partition. */
export function needsNewProducer(error: unknown): boolean {
  if (error instanceof LogError && error.code === 'not_written') return true;
  return chain(error).some(({ type = '' }) => renewTypes.has(type));
}

/** Whether the same producer's previous transaction has not ended on all brokers yet. */
export function isConcurrent(error: unknown): boolean {
  return chain(error).some(({ type }) => type === 'CONCURRENT_TRANSACTIONS');
}
