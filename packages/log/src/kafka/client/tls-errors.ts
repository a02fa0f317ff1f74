/** Explains failed TLS handshakes and how to fix them. */

const untrusted =
  'its certificate is signed by an authority that is not trusted here. Set kafka.ssl.ca_file to the certificate of that authority';
const expired =
  'its certificate is not valid at this time. Renew it on the broker, or correct the clock of this machine';
const wantsCertificate =
  'it requires a client certificate that it trusts. Provide one signed by an authority in its trust store with kafka.ssl.cert_file and kafka.ssl.key_file';
const nothingInCommon =
  'client and broker have no TLS version or cipher in common. Enable TLS 1.2 or 1.3 on the broker (ssl.enabled.protocols)';
const notTls =
  'it does not speak TLS on this port. Use the address of its TLS listener, or set kafka.security_protocol to PLAINTEXT or SASL_PLAINTEXT';

/** By Node's error code. `ALERT` codes were sent by the broker; all others were detected by this client. */
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
    'its certificate does not match the host name. Use a name from the certificate in kafka.brokers and in the broker’s advertised.listeners, or set kafka.ssl.verify_hostname to false',
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

/** Explains a TLS socket's error code, without the final full stop; undefined for other codes. */
export function explainTlsFailure(code: string): string | undefined {
  return Object.hasOwn(explanations, code) ? explanations[code] : undefined;
}
