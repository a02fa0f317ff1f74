import { LogError } from '../../port/errors.ts';
import { isRefused, needsOtherMechanism } from './errors.ts';
import type { KafkaOptions } from './options.ts';
import { answersKafka, answersTls, offeredMechanisms } from './probe.ts';

/**
 * Finds out why a reachable broker does not serve this client. A broker closes the connection without a reason when the
 * client uses plain text instead of TLS, TLS instead of plain text, or does not log in.
 *
 * @param doing As in "Cannot <doing>".
 * @returns undefined when probing the ports reveals nothing more than the error does.
 */
export async function explainRefusal(
  options: KafkaOptions,
  doing: string,
  error: unknown,
): Promise<LogError | undefined> {
  const explain = needsOtherMechanism(error) ? wrongMechanism : isRefused(error) ? wrongTransport : undefined;
  if (explain === undefined) return undefined;
  for (const address of options.brokers) {
    const found = await explain(options, address);
    if (found !== undefined) {
      const [code, text] = found;
      return new LogError(code, `Cannot ${doing}: the broker on ${address} ${text}.`, { cause: error });
    }
  }
  return undefined;
}

type Explanation = readonly ['tls_failed' | 'authentication_failed', string];

async function wrongTransport(options: KafkaOptions, address: string): Promise<Explanation | undefined> {
  const { sasl } = options;
  const tls = tlsOf(options);
  const prefix = sasl === undefined ? '' : 'SASL_';
  if (tls !== undefined && (await answersKafka(address, 'plain'))) {
    return [
      'tls_failed',
      `speaks plain text on this port, not TLS. Use the address of its TLS listener, or set kafka.security_protocol to ${prefix}PLAINTEXT`,
    ];
  }
  if (tls === undefined && (await answersTls(address))) {
    const plain = sasl === undefined ? 'SSL, or to SASL_SSL with a login' : 'SASL_SSL';
    return [
      'tls_failed',
      `speaks TLS on this port, not plain text. Set kafka.security_protocol to ${plain}, and kafka.ssl.ca_file to the certificate of its CA`,
    ];
  }
  if (sasl === undefined && (await answersKafka(address, tls ?? 'plain'))) {
    const mechanisms = await offeredMechanisms(address, tls ?? 'plain');
    const wanted = tls === undefined ? 'SASL_PLAINTEXT' : 'SASL_SSL';
    const offer = mechanisms.length === 0 ? '' : ` (it offers ${mechanisms.join(', ')})`;
    return [
      'authentication_failed',
      `requires a login${offer}. Set kafka.security_protocol to ${wanted}, and kafka.sasl.mechanism, username and password`,
    ];
  }
  return undefined;
}

async function wrongMechanism(options: KafkaOptions, address: string): Promise<Explanation | undefined> {
  const mechanisms = await offeredMechanisms(address, tlsOf(options) ?? 'plain');
  if (mechanisms.length === 0) return undefined;
  const asked = options.sasl?.mechanism.toUpperCase() ?? 'none';
  return [
    'authentication_failed',
    `does not support the SASL mechanism ${asked}; it offers ${mechanisms.join(', ')}. Set kafka.sasl.mechanism to one of them`,
  ];
}

function tlsOf({ ssl }: KafkaOptions): Exclude<KafkaOptions['ssl'], boolean> {
  if (ssl === true) return {};
  return ssl === false ? undefined : ssl;
}
