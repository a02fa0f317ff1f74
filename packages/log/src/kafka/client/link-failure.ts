import type { LinkFailure } from './outage.ts';
import { explainTlsFailure } from './tls-errors.ts';

/** By the code of Node's error. */
const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection closed',
  EPIPE: 'connection closed',
  ETIMEDOUT: 'no answer',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no route to the network',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name cannot be resolved',
};

export const noAnswer: LinkFailure = { reason: 'no answer' };
export const connectionClosed: LinkFailure = { reason: 'connection closed' };

/** Describes the error of a socket. */
export function linkFailureOf(error: Error & { readonly code?: string }): LinkFailure {
  const { code = '', message } = error;
  const reason = reasons[code];
  if (reason !== undefined) return { reason };
  const tls = explainTlsFailure(code);
  if (tls === undefined) return { reason: message };
  const [why = '', ...advice] = tls.split('. ');
  return { reason: `no TLS connection, ${why}`, advice: `${advice.join('. ')}.` };
}

const checkPassword = 'Check the user name, the password and the SASL mechanism in the kafka settings.';

/**
 * @param message why there is no login, by the broker or by the issuer of tokens
 * @param fields of kafkajs' log entry; a login by token adds `advice`
 */
export function loginFailed(message: string, fields: Readonly<Record<string, unknown>>): LinkFailure {
  const advice = Object.hasOwn(fields, 'advice') ? fields['advice'] : checkPassword;
  return {
    reason: `the login failed (${message})`,
    advice: typeof advice === 'string' ? advice : undefined,
  };
}
