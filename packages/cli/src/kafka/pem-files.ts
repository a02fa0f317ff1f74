import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readNamedFile } from '../config/secret-files.ts';
import { UsageError } from '../errors.ts';

/** The certificates of a PEM file. */
export interface PemCertificates {
  readonly pem: string;
  /** At least one. */
  readonly certificates: readonly [X509Certificate, ...X509Certificate[]];
}

/**
 * Reads certificates, as PEM.
 *
 * @throws UsageError naming setting and file, and what to do
 */
export function readCertificates(setting: string, file: string): PemCertificates {
  const pem = readPem(setting, file, 'certificate');
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0)
    throw new UsageError(`${setting}: ${file} contains no certificate; ${contentsOf(pem)}`);
  const [first, ...others] = blocks.map((block, index) => {
    try {
      return new X509Certificate(block);
    } catch (error) {
      throw new UsageError(`${setting}: certificate ${index + 1} in ${file} is damaged: ${String(error)}`);
    }
  });
  return { pem, certificates: [first as X509Certificate, ...others] };
}

/**
 * Reads a private key, as PEM.
 *
 * @throws UsageError naming setting and file, and what to do
 */
export function readPrivateKey(
  setting: string,
  file: string,
  password: string | undefined,
): { readonly pem: string; readonly key: KeyObject } {
  const pem = readPem(setting, file, 'key');
  if (!pem.includes('PRIVATE KEY-----')) {
    throw new UsageError(`${setting}: ${file} contains no private key; ${contentsOf(pem)}`);
  }
  const encrypted = /BEGIN ENCRYPTED|Proc-Type: 4,ENCRYPTED/.test(pem);
  if (encrypted && password === undefined) {
    throw new UsageError(
      `${setting}: the key in ${file} is encrypted. Give its password in kafka.ssl.key_password or kafka.ssl.key_password_file`,
    );
  }
  try {
    return {
      pem,
      key: createPrivateKey({ key: pem, ...(password !== undefined && { passphrase: password }) }),
    };
  } catch (error) {
    const advice = encrypted ? 'the password is wrong or the file is damaged' : 'the file is damaged';
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new UsageError(`${setting}: the key in ${file} cannot be read: ${advice} (${code})`);
  }
}

function readPem(setting: string, file: string, wanted: 'certificate' | 'key'): string {
  const bytes = readNamedFile(setting, file);
  const text = bytes.toString('latin1');
  if (text.includes('-----BEGIN ')) return text;
  throw new UsageError(
    `${setting}: ${file} is not a PEM file (text with -----BEGIN …-----)${conversion(bytes, wanted, file)}`,
  );
}

const JAVA_KEY_STORE = 0xfeedfeed;
const DER_SEQUENCE = 0x30;

/** How to convert the key store formats of Java and Windows. */
function conversion(bytes: Buffer, wanted: 'certificate' | 'key', file: string): string {
  if (bytes.length > 4 && bytes.readUInt32BE(0) === JAVA_KEY_STORE) {
    const store = 'keystore.p12';
    const first = `keytool -importkeystore -srckeystore ${file} -destkeystore ${store} -deststoretype PKCS12`;
    return `, but a Java key store. Convert it with: ${first} && ${fromPkcs12(wanted, store)}`;
  }
  if (bytes[0] !== DER_SEQUENCE) return '';
  const single =
    wanted === 'certificate'
      ? `openssl x509 -inform der -in ${file} -out new.pem`
      : `openssl pkey -inform der -in ${file} -out new.pem`;
  return `, but a binary one. Convert a PKCS #12 key store with: ${fromPkcs12(wanted, file)}; a single ${wanted} (DER) with: ${single}`;
}

function fromPkcs12(wanted: 'certificate' | 'key', file: string): string {
  const part = wanted === 'certificate' ? '-nokeys' : '-nocerts -nodes';
  return `openssl pkcs12 -in ${file} ${part} -out new.pem`;
}

/** Names the blocks that a PEM file does contain. */
function contentsOf(pem: string): string {
  const names = new Set(Array.from(pem.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----/g), ([, name]) => name));
  return `it contains: ${[...names].join(', ')}`;
}
