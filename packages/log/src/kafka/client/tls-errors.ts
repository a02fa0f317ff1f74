/** What went wrong between two ends that tried to speak TLS, and what to do about it. */

const untrusted =
  'its certificate is signed by an authority that is not trusted here. Give the certificate of that authority in kafka.ssl.ca_file';
const expired =
  'its certificate is not valid at this time. Renew it on the broker, or set the clock of this machine';
const wantsCertificate =
  'it does not let this client in without a certificate that it trusts. Give one signed by an authority of its trust store in kafka.ssl.cert_file and kafka.ssl.key_file';
const nothingInCommon =
  'the two have no TLS version or cipher in common. Allow TLS 1.2 or 1.3 in the broker (ssl.enabled.protocols)';
const notTls =
  'it does not speak TLS on this port. Give the address of its TLS listener, or set kafka.security_protocol to PLAINTEXT or SASL_PLAINTEXT';

/** By the code of Node's error. An alert is what the broker said, everything else was found here. */
const explanations: Readonly<Record<string, string>> = {
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  CERT_UNTRUSTED: untrusted,
  CERT_SIGNATURE_FAILURE: untrusted,
  CERT_HAS_EXPIRED: expired,
  CERT_NOT_YET_VALID: expired,
  ERR_TLS_CERT_ALTNAME_INVALID:
    'its certificate is for other names than the one it was asked by. Use a name of the certificate in kafka.brokers and in the broker’s advertised.listeners, or set kafka.ssl.verify_hostname to false',
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: wantsCertificate,
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: wantsCertificate,
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN: wantsCertificate,
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: wantsCertificate,
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_REVOKED: wantsCertificate,
  ERR_SSL_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE: wantsCertificate,
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: wantsCertificate,
  ERR_SSL_TLSV1_ALERT_ACCESS_DENIED: wantsCertificate,
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: nothingInCommon,
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: nothingInCommon,
  ERR_SSL_TLSV1_ALERT_INSUFFICIENT_SECURITY: nothingInCommon,
  ERR_SSL_UNSUPPORTED_PROTOCOL: nothingInCommon,
  ERR_SSL_WRONG_VERSION_NUMBER: notTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: notTls,
};

/** One sentence about the other end, without its full stop, for the code of an error of a TLS socket; undefined for others. */
export function explainTlsFailure(code: string): string | undefined {
  return Object.hasOwn(explanations, code) ? explanations[code] : undefined;
}
