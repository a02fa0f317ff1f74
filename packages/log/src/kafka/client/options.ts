import type { ConnectionOptions } from 'node:tls';
import type { LogFunction } from '@loopwatch/platform';
import type { Compression } from '../codecs/codecs.ts';
import type { TokenSource } from '../login/token-source.ts';
import type { KafkaOutageLog } from './outage-log.ts';

/** A login with a password. */
export interface KafkaPasswordLogin {
  readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
  readonly username: string;
  readonly password: string;
}

/** A login with an access token. */
export interface KafkaTokenLogin {
  readonly mechanism: 'oauthbearer';
  readonly tokens: TokenSource;
  /** SASL extensions of the login, by name. */
  readonly extensions?: Readonly<Record<string, string>>;
}

/** Credentials for the brokers. */
export type KafkaSasl = KafkaPasswordLogin | KafkaTokenLogin;

const DEFAULT_CONNECT_TIMEOUT_MS = 10_000;

/** How to reach a cluster. */
export interface KafkaOptions {
  /** `host:port` of the bootstrap brokers; the others are discovered through them. */
  readonly brokers: readonly string[];
  /** Shown in the brokers' logs and quotas. */
  readonly clientId: string;
  /** TLS: `true` to trust the system's certificate authorities, or Node's TLS options. Default: plain text. */
  readonly ssl?: boolean | ConnectionOptions;
  readonly sasl?: KafkaSasl;
  /** Compression of what is written. Default: none. */
  readonly compression?: Compression;
  /** How long a start waits for an unavailable broker, in milliseconds; may be Infinity. Default 10,000. */
  readonly connectTimeoutMs?: number;
  /** Default: silent. */
  readonly log?: LogFunction;
  /** Logs outages; shared by all clients of a process. Default: outages are not logged. */
  readonly outages?: KafkaOutageLog;
}

/** How long a start waits for an unavailable broker, in milliseconds. */
export function connectTimeoutOf({ connectTimeoutMs = DEFAULT_CONNECT_TIMEOUT_MS }: KafkaOptions): number {
  return connectTimeoutMs;
}
