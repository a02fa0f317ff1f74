import type { X509Certificate } from 'node:crypto';
import type { ConnectionOptions } from 'node:tls';
import type { Settings } from '@loopwatch/contract';
import {
  clientCredentialTokens,
  type KafkaOptions,
  type KafkaPasswordLogin,
  type KafkaSasl,
  mskIamTokens,
} from '@loopwatch/log';
import type { LogFunction } from '@loopwatch/platform';
import { readSecret } from '../config/secret-files.ts';
import { UsageError } from '../errors.ts';
import { readCertificates, readPrivateKey } from './pem-files.ts';

type KafkaSettings = Settings['kafka'];

/**
 * TLS and SASL options of a Kafka client. Files are read once and checked as far as possible without a broker.
 *
 * @param now Epoch milliseconds, for the validity of certificates.
 * @param log for access tokens that cannot be renewed; default: silent
 * @throws UsageError naming setting and file, and what to do
 */
export function kafkaSecurity(
  settings: KafkaSettings,
  now: number = Date.now(),
  log?: LogFunction,
): Pick<KafkaOptions, 'ssl' | 'sasl'> {
  const { security_protocol: protocol } = settings;
  return {
    ...(protocol.endsWith('SSL') && { ssl: tlsOptions(settings, now) }),
    ...(protocol.startsWith('SASL') && { sasl: saslOptions(settings.sasl, log) }),
  };
}

function saslOptions(settings: KafkaSettings['sasl'], log: LogFunction | undefined): KafkaSasl {
  const known = logins.get(settings);
  if (known !== undefined) return known;
  const login = loginOf(settings, log);
  logins.set(settings, login);
  return login;
}

function loginOf(settings: KafkaSettings['sasl'], log: LogFunction | undefined): KafkaSasl {
  const { mechanism, aws } = settings;
  if (mechanism === 'OAUTHBEARER') return tokenLogin(settings, log);
  if (mechanism !== 'AWS_MSK_IAM') return passwordLogin(settings);
  // The schema requires it for this mechanism.
  if (aws.region === undefined) throw new UsageError('kafka.sasl.aws.region is required');
  return { mechanism: 'oauthbearer', tokens: mskIamTokens(aws.region, log) };
}

/** One per settings, so that all clients of a process use the same access token. */
const logins = new WeakMap<KafkaSettings['sasl'], KafkaSasl>();

function passwordLogin({ mechanism, username, password, password_file }: KafkaSettings['sasl']): KafkaSasl {
  const secret = readSecret('kafka.sasl.password', password, password_file);
  // The schema requires them for SASL protocols.
  if (mechanism === undefined || username === undefined || secret === undefined) {
    throw new UsageError('kafka.sasl: mechanism, username and password are required');
  }
  return {
    mechanism: mechanism.toLowerCase() as KafkaPasswordLogin['mechanism'],
    username,
    password: secret,
  };
}

function tokenLogin({ oauthbearer }: KafkaSettings['sasl'], log: LogFunction | undefined): KafkaSasl {
  const { token_endpoint_url: url, client_id: clientId, client_secret, client_secret_file } = oauthbearer;
  const clientSecret = readSecret('kafka.sasl.oauthbearer.client_secret', client_secret, client_secret_file);
  // The schema requires them for this mechanism.
  if (url === undefined || clientId === undefined || clientSecret === undefined) {
    throw new UsageError(
      'kafka.sasl.oauthbearer: token_endpoint_url, client_id and client_secret are required',
    );
  }
  const { scope, audience, extensions } = oauthbearer;
  const tokens = clientCredentialTokens(
    {
      tokenEndpointUrl: url,
      clientId,
      clientSecret,
      ...(scope !== undefined && { scope }),
      ...(audience !== undefined && { audience }),
    },
    log,
  );
  return { mechanism: 'oauthbearer', tokens, extensions };
}

function tlsOptions({ ssl }: KafkaSettings, now: number): ConnectionOptions {
  return {
    ...(ssl.ca_file !== undefined && { ca: trustedAuthorities(ssl.ca_file, now) }),
    ...clientIdentity(ssl, now),
    ...(!ssl.verify_hostname && { checkServerIdentity: () => undefined }),
  };
}

function trustedAuthorities(file: string, now: number): string {
  const setting = 'kafka.ssl.ca_file';
  const { pem, certificates } = readCertificates(setting, file);
  const faults = certificates.map((certificate) => invalidity(certificate, now));
  const [first] = faults;
  // Bundles often contain some expired certificates.
  if (first !== undefined && !faults.includes(undefined))
    throw new UsageError(`${setting}: in ${file}, ${first}`);
  return pem;
}

function clientIdentity(ssl: KafkaSettings['ssl'], now: number): ConnectionOptions {
  const { cert_file: certFile, key_file: keyFile } = ssl;
  if (certFile === undefined || keyFile === undefined) return {};
  const { pem: cert, certificates } = readCertificates('kafka.ssl.cert_file', certFile);
  const [own] = certificates;
  const passphrase = readSecret('kafka.ssl.key_password', ssl.key_password, ssl.key_password_file);
  const { pem: key, key: privateKey } = readPrivateKey('kafka.ssl.key_file', keyFile, passphrase);
  if (!own.checkPrivateKey(privateKey)) {
    throw new UsageError(
      `kafka.ssl.key_file: the key in ${keyFile} does not belong to the certificate in ${certFile} (${nameOf(own)}). The certificate of this client comes first in its file`,
    );
  }
  const fault = invalidity(own, now);
  if (fault !== undefined) throw new UsageError(`kafka.ssl.cert_file: in ${certFile}, ${fault}`);
  return { cert, key, ...(passphrase !== undefined && { passphrase }) };
}

/** Why a certificate is not valid at a time; undefined when it is. */
function invalidity(certificate: X509Certificate, now: number): string | undefined {
  const { validFrom, validTo } = certificate;
  if (Date.parse(validTo) < now)
    return `the certificate of ${nameOf(certificate)} expired on ${day(validTo)}. Renew it`;
  if (Date.parse(validFrom) > now) {
    return `the certificate of ${nameOf(certificate)} is not valid before ${day(validFrom)}. Check the clock of this machine`;
  }
  return undefined;
}

function nameOf({ subject }: X509Certificate): string {
  return subject.replaceAll('\n', ', ');
}

function day(time: string): string {
  return new Date(time).toISOString().slice(0, 10);
}
