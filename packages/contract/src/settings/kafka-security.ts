import * as z from 'zod';

/** TLS and SASL settings, named like those of Kafka's own clients. */

const text = z.string().min(1).optional();

/** KIP-342 and RFC 7628; `auth` is the token itself. */
const extensionName = /^(?!auth$)[A-Za-z]+$/;

/** What each kind of login needs, as paths under `sasl`; a secret may come from its `_file` instead. */
const logins: Readonly<Record<string, { readonly needs: readonly string[]; readonly secret?: string }>> = {
  password: { needs: ['username', 'password'], secret: 'password' },
  OAUTHBEARER: {
    needs: ['oauthbearer.token_endpoint_url', 'oauthbearer.client_id', 'oauthbearer.client_secret'],
    secret: 'oauthbearer.client_secret',
  },
  AWS_MSK_IAM: { needs: ['aws.region'] },
};

export const kafkaSecuritySettings = {
  security_protocol: z.enum(['PLAINTEXT', 'SSL', 'SASL_PLAINTEXT', 'SASL_SSL']).default('PLAINTEXT'),
  sasl: z
    .strictObject({
      mechanism: z.enum(['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512', 'OAUTHBEARER', 'AWS_MSK_IAM']).optional(),
      username: text,
      password: text,
      password_file: text,
      oauthbearer: z
        .strictObject({
          token_endpoint_url: z.url({ protocol: /^https?$/ }).optional(),
          client_id: text,
          client_secret: text,
          client_secret_file: text,
          scope: text,
          audience: text,
          extensions: z
            .record(z.string(), z.string().regex(/^[\t\r\n -~]+$/))
            .refine((names) => Object.keys(names).every((name) => extensionName.test(name)), {
              error: 'names of extensions must be letters only, and not auth',
            })
            .default({}),
        })
        .prefault({}),
      aws: z.strictObject({ region: text }).prefault({}),
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
  const set = new Set([...setPaths(sasl, 'sasl.'), ...setPaths(ssl, 'ssl.')]);
  if (protocol.startsWith('SASL')) {
    checkLogin(protocol, sasl.mechanism, set, reject);
  } else {
    for (const path of set) {
      if (!path.startsWith('sasl.')) continue;
      reject(path, `has no effect with security_protocol ${protocol}: set it to SASL_SSL or SASL_PLAINTEXT`);
    }
  }
  if (!protocol.endsWith('SSL')) {
    for (const path of set) {
      if (!path.startsWith('ssl.')) continue;
      reject(path, `has no effect with security_protocol ${protocol}: set it to SSL or SASL_SSL`);
    }
  }
  if (set.has('ssl.cert_file') !== set.has('ssl.key_file')) {
    reject('ssl.cert_file', 'and ssl.key_file must be set together');
  }
  if (/^[^/]*\/\/[^/]*@/.test(sasl.oauthbearer.token_endpoint_url ?? '')) {
    reject(
      'sasl.oauthbearer.token_endpoint_url',
      'must not contain a login: set client_id and client_secret',
    );
  }
  for (const path of ['sasl.password', 'sasl.oauthbearer.client_secret', 'ssl.key_password']) {
    if (set.has(path) && set.has(`${path}_file`)) {
      reject(path, `and ${path}_file are both set: set only one of them`);
    }
  }
}

type Reject = (path: string, message: string) => void;

function checkLogin(
  protocol: string,
  mechanism: KafkaSecurity['sasl']['mechanism'],
  set: ReadonlySet<string>,
  reject: Reject,
): void {
  if (mechanism === undefined) reject('sasl.mechanism', `is required with security_protocol ${protocol}`);
  const kind = mechanism !== undefined && mechanism in logins ? mechanism : 'password';
  const { needs = [], secret } = logins[kind] ?? {};
  const because = kind === 'password' ? `security_protocol ${protocol}` : `mechanism ${kind}`;
  for (const key of needs) {
    const isSecret = key === secret;
    if (set.has(`sasl.${key}`) || (isSecret && set.has(`sasl.${key}_file`))) continue;
    reject(`sasl.${key}`, `${isSecret ? `or sasl.${key}_file ` : ''}is required with ${because}`);
  }
  if (mechanism === undefined) return;
  for (const path of set) {
    const [block = '', name = ''] = path.split('.');
    if (block !== 'sasl' || name === 'mechanism' || kind === (kindOfBlock[name] ?? 'password')) continue;
    reject(path, `has no effect with mechanism ${mechanism}`);
  }
}

const kindOfBlock: Readonly<Record<string, string>> = { oauthbearer: 'OAUTHBEARER', aws: 'AWS_MSK_IAM' };

/** The paths of all texts in a block. */
function setPaths(block: object, prefix: string): string[] {
  return Object.entries(block).flatMap(([key, value]: [string, unknown]) => {
    if (typeof value === 'string') return [prefix + key];
    return typeof value === 'object' && value !== null ? setPaths(value, `${prefix}${key}.`) : [];
  });
}
