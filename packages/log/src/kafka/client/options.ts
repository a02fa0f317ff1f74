import type { ConnectionOptions } from 'node:tls';
import type { LogFunction } from '@loopwatch/platform';
import type { KafkaOutageLog } from './outage-log.ts';

type SaslMechanism = 'plain' | 'scram-sha-256' | 'scram-sha-512';

/** Credentials for the brokers. */
export interface KafkaSasl {
  readonly mechanism: SaslMechanism;
  readonly username: string;
  readonly password: string;
}

/** How to reach a cluster. */
export interface KafkaOptions {
  /** `host:port` of some brokers; the others are found through them. */
  readonly brokers: readonly string[];
  /** Shown in the brokers' logs and quotas. */
  readonly clientId: string;
  /** TLS: `true` for the system's authorities, or Node's TLS options. Default: plain text. */
  readonly ssl?: boolean | ConnectionOptions;
  readonly sasl?: KafkaSasl;
  /** How long a start waits for a broker that does not answer, in milliseconds; infinite is for ever. Default 10,000. */
  readonly connectTimeoutMs?: number;
  /** Default: silent. */
  readonly log?: LogFunction;
  /** What is told of brokers that are unavailable, one for all clients of a process. Default: nothing. */
  readonly outages?: KafkaOutageLog;
}
