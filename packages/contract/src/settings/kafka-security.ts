import { z } from 'zod';

/** TLS and SASL settings, named like those of Kafka's own clients. */

const text = z.string().min(1).optional();

export const kafkaSecuritySettings = {
  security_protocol: z.enum(['PLAINTEXT', 'SSL', 'SASL_PLAINTEXT', 'SASL_SSL']).default('PLAINTEXT'),
  sasl: z
    .strictObject({
      mechanism: z.enum(['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512']).optional(),
      username: text,
      password: text,
      password_file: text,
    })
    .prefault({}),
  ssl: z
    .strictObject({
      ca_file: text,
      cert_file: text,
      key_file: text,
      key_password: text,
      key_password_file: text,
      verify_hostname: z.boolean().default(true),
    })
    .prefault({}),
};

type KafkaSecurity = z.infer<z.ZodObject<typeof kafkaSecuritySettings>>;

/** Rejects contradictory settings, such as a password that would never be sent. */
export function checkKafkaSecurity(
  { security_protocol: protocol, sasl, ssl }: KafkaSecurity,
  context: z.core.$RefinementCtx,
): void {
  const reject = (path: string, message: string) =>
    context.addIssue({ code: 'custom', path: path.split('.'), message });
  const setKeys = (block: object) => Object.entries(block).filter(([, value]) => typeof value === 'string');
  if (protocol.startsWith('SASL')) {
    for (const key of ['mechanism', 'username'] as const) {
      if (sasl[key] === undefined) reject(`sasl.${key}`, `is required with security_protocol ${protocol}`);
    }
    if (sasl.password === undefined && sasl.password_file === undefined) {
      reject('sasl.password', `or sasl.password_file is required with security_protocol ${protocol}`);
    }
  } else {
    for (const [key] of setKeys(sasl)) {
      reject(
        `sasl.${key}`,
        `has no effect with security_protocol ${protocol}: set it to SASL_SSL or SASL_PLAINTEXT`,
      );
    }
  }
  if (!protocol.endsWith('SSL')) {
    for (const [key] of setKeys(ssl)) {
      reject(`ssl.${key}`, `has no effect with security_protocol ${protocol}: set it to SSL or SASL_SSL`);
    }
  }
  if ((ssl.cert_file === undefined) !== (ssl.key_file === undefined)) {
    reject('ssl.cert_file', 'and ssl.key_file must be set together');
  }
  for (const [block, key] of [
    ['sasl', 'password'],
    ['ssl', 'key_password'],
  ] as const) {
    const values: Readonly<Record<string, unknown>> = block === 'sasl' ? sasl : ssl;
    if (values[key] !== undefined && values[`${key}_file`] !== undefined) {
      reject(`${block}.${key}`, `and ${block}.${key}_file are both set: set only one of them`);
    }
  }
}
