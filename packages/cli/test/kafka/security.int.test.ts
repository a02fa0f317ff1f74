import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { topicNames, verdictSchema } from '@loopwatch/contract';
import {
  type CliProcess,
  createAuthority,
  readTopic,
  type SecureKafka,
  spawnCli,
  startSecureKafka,
  type TempDir,
  tempDir,
  uniqueName,
} from '@loopwatch/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

type Environment = Readonly<Record<string, string>>;

let kafka: SecureKafka;
let folder: TempDir;
/** Environment variables of each way to log in. */
let logins: Readonly<Record<'plain' | 'sasl' | 'saslTls' | 'tls' | 'mutualTls' | 'guest', Environment>>;

beforeAll(async () => {
  [kafka, folder] = await Promise.all([startSecureKafka(), tempDir('loopwatch-security')]);
  const { listeners, authority, user, guest } = kafka;
  const { certificate, key } = authority.issue({ commonName: user.username });
  const files = {
    ca: await file('ca.pem', authority.certificate),
    cert: await file('cert.pem', certificate),
    key: await file('key.pem', key),
    password: await file('password', `${user.password}\n`),
  };
  const tls = { LOOPWATCH_KAFKA_SSL_CA_FILE: files.ca };
  const at = (listener: keyof SecureKafka['listeners'], protocol: string, rest: Environment = {}) => ({
    KAFKA_BROKERS: listeners[listener],
    LOOPWATCH_KAFKA_SECURITY_PROTOCOL: protocol,
    ...rest,
  });
  const login = (mechanism: string, { username, password }: SecureKafka['user']) => ({
    LOOPWATCH_KAFKA_SASL_MECHANISM: mechanism,
    LOOPWATCH_KAFKA_SASL_USERNAME: username,
    LOOPWATCH_KAFKA_SASL_PASSWORD: password,
  });
  logins = {
    plain: at('plain', 'PLAINTEXT'),
    sasl: at('sasl', 'SASL_PLAINTEXT', login('SCRAM-SHA-256', user)),
    saslTls: at('saslTls', 'SASL_SSL', {
      ...tls,
      LOOPWATCH_KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512',
      LOOPWATCH_KAFKA_SASL_USERNAME: user.username,
      LOOPWATCH_KAFKA_SASL_PASSWORD_FILE: files.password,
    }),
    tls: at('tls', 'SSL', tls),
    mutualTls: at('mutualTls', 'SSL', {
      ...tls,
      LOOPWATCH_KAFKA_SSL_CERT_FILE: files.cert,
      LOOPWATCH_KAFKA_SSL_KEY_FILE: files.key,
    }),
    guest: at('sasl', 'SASL_PLAINTEXT', login('PLAIN', guest)),
  };
});

afterAll(async () => {
  await Promise.all([kafka.stop(), folder.remove()]);
});

async function file(name: string, content: string): Promise<string> {
  const path = join(folder.path, name);
  await writeFile(path, content);
  return path;
}

const outputOf = ({ stdout, stderr }: CliProcess) => [...stdout, ...stderr].join('\n');

describe('commands on a secured cluster', () => {
  it('secured Kafka: each command logs in by another mechanism, and verdicts arrive', async () => {
    const prefix = `${uniqueName('secure')}.`;
    const topics = topicNames({ prefix });
    const own = { LOOPWATCH_KAFKA_TOPICS_PREFIX: prefix, LOOPWATCH_KAFKA_PARTITIONS: '1' };
    const events = Array.from({ length: 6 }, (_, i) => ({
      id: `e-${i}`,
      sessionId: 's',
      time: Date.now() + i,
      type: 'tool_call_request',
      name: 'read_file',
      args: { path: 'a' },
    }));
    const recorded = await file('events.jsonl', events.map((event) => JSON.stringify(event)).join('\n'));

    const create = spawnCli(['topics'], { ...logins.sasl, ...own });
    expect(await create.exited, outputOf(create)).toBe(0);
    const produce = spawnCli(['produce', recorded], { ...logins.mutualTls, ...own });
    expect(await produce.exited, outputOf(produce)).toBe(0);
    await using worker = spawnCli(['worker', '--port', '0'], { ...logins.saslTls, ...own });
    const [verdict] = await readTopic([kafka.listeners.plain], topics.verdicts, {
      count: 1,
    });
    expect(verdictSchema.parse(JSON.parse(verdict?.value ?? ''))).toMatchObject({
      sessionId: 's',
      detector: 'tool-repeat',
      phase: 'opened',
    });
    await using server = spawnCli(['server', '--port', '0', '--data-dir', folder.path], {
      ...logins.tls,
      ...own,
    });
    await server.line(/ is at http/);
    for (const process of [worker, server]) {
      expect(await process.stop(), outputOf(process)).toBe(0);
      expect(outputOf(process)).not.toContain(kafka.user.password);
    }
  });
});

describe('a worker without permissions', () => {
  it('secured Kafka: a worker without permissions does not start, and lists the missing ones', async () => {
    const prefix = `${uniqueName('lacking')}.`;
    const own = { LOOPWATCH_KAFKA_TOPICS_PREFIX: prefix };
    const create = spawnCli(['topics'], { ...logins.plain, ...own });
    expect(await create.exited, outputOf(create)).toBe(0);
    const worker = spawnCli(['worker', '--port', '0'], { ...logins.guest, ...own });
    expect(await worker.exited).toBe(1);
    const text = outputOf(worker);
    expect(text).toContain(
      `Cannot watch ${prefix}events on ${kafka.listeners.sasl}: this Kafka user lacks the permission`,
    );
    expect(text).toContain(`Write on topic ${prefix}verdicts`);
    expect(text).toContain('Read on group loopwatch-worker,');
    expect(text).toContain('Write on transactional-id loopwatch-worker/*');
    expect(text).not.toContain('loopwatch-worker-server');
  });
});

describe('doctor', () => {
  /** Its output about Kafka; other checks depend on the machine. */
  async function doctor(login: Environment, more: Environment = {}): Promise<string[]> {
    const env = { LOOPWATCH_KAFKA_TOPICS_PREFIX: `${uniqueName('doctor')}.`, ...login, ...more };
    const process = spawnCli(['doctor'], env);
    expect(await process.exited, outputOf(process)).toBe(1);
    expect(outputOf(process)).not.toContain(kafka.user.password);
    return [...process.stdout];
  }

  it('doctor: reports no problem with a working login', async () => {
    const lines = await doctor(logins.saslTls);
    const broker = kafka.listeners.saslTls;
    expect(lines).toContain(`ok    Kafka on ${broker}, SASL_SSL as loopwatch (SCRAM-SHA-512) answers`);
    expect(lines).toContain('ok    this Kafka user has all required permissions');
    expect(lines.join('\n')).toMatch(
      /FAIL {2}topic doctor-.*\.events is missing\n +Run `npx loopwatch topics`\./,
    );
  });

  it('doctor: lists each missing permission, who needs it, and the command that grants it', async () => {
    const prefix = `${uniqueName('rights')}.`;
    const own = { LOOPWATCH_KAFKA_TOPICS_PREFIX: prefix };
    const create = spawnCli(['topics'], { ...logins.plain, ...own });
    expect(await create.exited, outputOf(create)).toBe(0);
    const lines = await doctor(logins.guest, own);
    const acls = `kafka-acls.sh --bootstrap-server ${kafka.listeners.sasl} --add --allow-principal User:guest`;
    for (const [what, advice] of [
      [
        `Read on topic ${prefix}events`,
        `loopwatch \`worker\` and \`server\` need it: ${acls} --operation Read --topic ${prefix}events`,
      ],
      [`Write on topic ${prefix}events`, 'loopwatch `produce`, `server` and `gateway` need it: '],
      ['Read on group loopwatch-worker', `--operation Read --group loopwatch-worker`],
      [
        'Write on transactional-id loopwatch-worker/*',
        '--operation Write --transactional-id loopwatch-worker/ --resource-pattern-type prefixed',
      ],
    ] as const) {
      const at = lines.indexOf(`FAIL  ${what} is not allowed`);
      expect(at, `${what} in\n${lines.join('\n')}`).toBeGreaterThan(-1);
      expect(lines[at + 1]).toContain(advice);
    }
    expect(lines.join('\n')).not.toContain('missing');
  });

  it.each<{ what: string; login: () => Environment; more: () => Promise<Environment>; says: string }>([
    {
      what: 'a wrong password',
      login: () => logins.sasl,
      more: () => Promise.resolve({ LOOPWATCH_KAFKA_SASL_PASSWORD: 'wrong' }),
      says: 'Check the user name, the password and the SASL mechanism',
    },
    {
      what: 'a certificate authority that did not sign',
      login: () => logins.tls,
      more: async () => ({
        LOOPWATCH_KAFKA_SSL_CA_FILE: await file('other.pem', createAuthority('other').certificate),
      }),
      says: 'signed by an authority that is not trusted here',
    },
    {
      what: 'a missing file',
      login: () => logins.tls,
      more: () => Promise.resolve({ LOOPWATCH_KAFKA_SSL_CA_FILE: '/nowhere/ca.pem' }),
      says: 'kafka.ssl.ca_file: cannot read /nowhere/ca.pem: no such file',
    },
  ])('doctor: reports $what', async ({ login, more, says }) => {
    const lines = await doctor(login(), await more());
    const at = lines.findIndex((line) => line.startsWith('FAIL  Kafka on '));
    expect(lines[at + 1]).toContain(says);
  });
});
