import { generateKeyPairSync } from 'node:crypto';
import forge from 'node-forge';

/** A certificate and its private key (PKCS #8), as PEM. */
export interface Identity {
  readonly certificate: string;
  readonly key: string;
}

export interface IdentityOptions {
  readonly commonName: string;
  /** IP addresses that it is valid for; clients need none. */
  readonly addresses?: readonly string[];
  /** Default: from an hour ago until tomorrow. */
  readonly validFrom?: Date;
  readonly validTo?: Date;
}

/** A certificate authority. */
export interface Authority {
  /** Its own certificate as PEM, for the trust stores of others. */
  readonly certificate: string;
  issue(options: IdentityOptions): Identity;
}

const HOUR_MS = 3_600_000;
const IP_TYPE = 7;

/** Creates a certificate authority. */
export function createAuthority(commonName: string): Authority {
  const own = newKey();
  const certificate = newCertificate({ commonName }, own.public);
  const subject = certificate.subject.attributes;
  certificate.setIssuer(subject);
  certificate.setExtensions([
    { name: 'basicConstraints', cA: true, critical: true },
    { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
  ]);
  certificate.sign(own.private, forge.md.sha256.create());
  return {
    certificate: toPem(certificate),
    issue: (options) => {
      const key = newKey();
      const issued = newCertificate(options, key.public);
      issued.setIssuer(subject);
      const names = (options.addresses ?? []).map((ip) => ({ type: IP_TYPE, ip }));
      issued.setExtensions([
        { name: 'basicConstraints', cA: false },
        { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
        ...(names.length > 0 ? [{ name: 'subjectAltName', altNames: names }] : []),
      ]);
      issued.sign(own.private, forge.md.sha256.create());
      return { certificate: toPem(issued), key: key.pem };
    },
  };
}

interface Key {
  readonly public: forge.pki.PublicKey;
  readonly private: forge.pki.rsa.PrivateKey;
  readonly pem: string;
}

/** Uses Node: milliseconds, where plain JavaScript takes seconds. */
function newKey(): Key {
  const pair = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return {
    public: forge.pki.publicKeyFromPem(pair.publicKey),
    private: forge.pki.privateKeyFromPem(pair.privateKey),
    pem: pair.privateKey,
  };
}

/** Uses the line ends that Kafka accepts. */
function toPem(certificate: forge.pki.Certificate): string {
  return forge.pki.certificateToPem(certificate).replaceAll('\r\n', '\n');
}

let serial = 0;

function newCertificate(
  { commonName, validFrom, validTo }: IdentityOptions,
  publicKey: forge.pki.PublicKey,
): forge.pki.Certificate {
  const certificate = forge.pki.createCertificate();
  serial += 1;
  certificate.serialNumber = serial.toString(16).padStart(4, '0');
  certificate.publicKey = publicKey;
  certificate.validity.notBefore = validFrom ?? new Date(Date.now() - HOUR_MS);
  certificate.validity.notAfter = validTo ?? new Date(Date.now() + 24 * HOUR_MS);
  certificate.setSubject([{ name: 'commonName', value: commonName }]);
  return certificate;
}
