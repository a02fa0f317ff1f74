import kafkajs from 'kafkajs';
import { describe, expect, it } from 'vitest';
import type { LogErrorCode } from '../../../src/index.ts';
import { isTransient, toLogError } from '../../../src/kafka/client/errors.ts';

const context = { brokers: ['k1:9092', 'k2:9092'], doing: 'read events as group g', topics: ['events'] };

/** The error that kafkajs throws when a socket fails. */
function linkError(message: string, fields: { broker?: string; code?: string } = {}): Error {
  const error = new kafkajs.KafkaJSConnectionError(`Connection error: ${message}`, fields);
  return Object.assign(new kafkajs.KafkaJSNumberOfRetriesExceeded(error, { retryCount: 5, retryTime: 1 }), {
    cause: error,
  });
}

/** The error that kafkajs throws when a broker answers with an error. */
function brokerError(type: string, retriable = false): Error {
  return Object.assign(new Error(`the broker says ${type}`), {
    name: 'KafkaJSProtocolError',
    type,
    retriable,
  });
}

const openssl = (reason: string) =>
  `80CC0000:error:0A000412:SSL routines:ssl3_read_bytes:${reason}:../deps/openssl/rec.c:1601:SSL alert number 42\n`;

interface Case {
  readonly what: string;
  readonly error: Error;
  readonly code: LogErrorCode;
  readonly transient: boolean;
  readonly says: readonly string[];
}

const cases: readonly Case[] = [
  {
    what: 'connection refused',
    error: linkError('connect ECONNREFUSED', { broker: 'k1:9092', code: 'ECONNREFUSED' }),
    code: 'broker_unreachable',
    transient: true,
    says: ['no Kafka broker answers on k1:9092, k2:9092', 'Start Kafka there'],
  },
  {
    what: 'a broker advertises an unreachable address',
    error: linkError('getaddrinfo ENOTFOUND kafka', { broker: 'kafka:29092', code: 'ENOTFOUND' }),
    code: 'broker_unreachable',
    transient: true,
    says: ['the cluster on k1:9092, k2:9092 advertises the broker kafka:29092', 'advertised.listeners'],
  },
  {
    what: 'an untrusted certificate authority',
    error: linkError('self-signed certificate in certificate chain', {
      broker: 'k2:9092',
      code: 'SELF_SIGNED_CERT_IN_CHAIN',
    }),
    code: 'tls_failed',
    transient: false,
    says: ['to the broker on k2:9092', 'kafka.ssl.ca_file', '(self-signed certificate in certificate chain)'],
  },
  {
    what: 'an expired broker certificate',
    error: linkError('certificate has expired', { broker: 'k1:9092', code: 'CERT_HAS_EXPIRED' }),
    code: 'tls_failed',
    transient: false,
    says: ['is not valid at this time', 'Renew it on the broker'],
  },
  {
    what: 'no client certificate (TLS 1.2)',
    error: linkError(openssl('sslv3 alert bad certificate'), { code: 'ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE' }),
    code: 'tls_failed',
    transient: false,
    says: ['k1:9092, k2:9092', 'kafka.ssl.cert_file and kafka.ssl.key_file. (sslv3 alert bad certificate)'],
  },
  {
    what: 'no TLS version in common',
    error: linkError(openssl('tlsv1 alert protocol version'), {
      code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
    }),
    code: 'tls_failed',
    transient: false,
    says: ['no TLS version or cipher in common'],
  },
  {
    what: 'a missing right on a topic',
    error: brokerError('TOPIC_AUTHORIZATION_FAILED'),
    code: 'not_authorized',
    transient: false,
    says: ['the permission (ACL) on topic events'],
  },
  {
    what: 'a missing right on the group',
    error: brokerError('GROUP_AUTHORIZATION_FAILED'),
    code: 'not_authorized',
    transient: false,
    says: ['as group g', 'on its consumer group: Read'],
  },
  {
    what: 'a missing right on transactional ids',
    error: brokerError('TRANSACTIONAL_ID_AUTHORIZATION_FAILED'),
    code: 'not_authorized',
    transient: false,
    says: ['on its transactional ids: Write'],
  },
  {
    what: 'a missing right on the cluster',
    error: brokerError('CLUSTER_AUTHORIZATION_FAILED'),
    code: 'not_authorized',
    transient: false,
    says: ['on the cluster'],
  },
  {
    what: 'a SASL login on a listener without SASL',
    error: brokerError('ILLEGAL_SASL_STATE'),
    code: 'authentication_failed',
    transient: false,
    says: ['does not accept SASL logins', 'PLAINTEXT or SSL'],
  },
  {
    what: 'a coordinator that is still loading',
    error: brokerError('COORDINATOR_LOAD_IN_PROGRESS', true),
    code: 'request_failed',
    transient: true,
    says: ['Cannot read events as group g on k1:9092, k2:9092: the broker says'],
  },
];

describe('LogError of a Kafka failure', () => {
  it.each(cases)('$what: $code', ({ error, code, transient, says }) => {
    const failure = toLogError(error, context);
    expect(failure).toMatchObject({ code, cause: error });
    for (const words of ['Cannot read events as group g', ...says]) expect(failure.message).toContain(words);
    expect(failure.message).not.toContain('SSL routines');
    expect(isTransient(error)).toBe(transient);
  });
});
