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

/** @param message the broker's reason for rejecting the login */
export function loginRefused(message: string): LinkFailure {
  return {
    reason: `the login was refused (${message})`,
    advice: 'Check the user name, the password and the SASL mechanism in the kafka settings.',
  };
}
