import { startTokenKafka, type TokenKafka, uniqueName, waitFor } from '@loopwatch/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  type ClientCredentials,
  clientCredentialTokens,
  createKafkaTaskRunner,
  ensureTopics,
  type KafkaOptions,
  KafkaOutageLog,
  mskIamTokens,
} from '../../../src/index.ts';
import type { MskSigner } from '../../../src/kafka/login/msk-iam.ts';
import { joinGroup } from '../../../src/kafka/task/membership.ts';
import { follow, newTopic, numbered, openSink, publish, restarts } from '../harness.ts';

/** Long enough for kafkajs, which authenticates again ten seconds earlier; short enough to see it happen. */
const REAUTHENTICATE_MS = 12_000;

let kafka: TokenKafka;

beforeAll(async () => {
  kafka = await startTokenKafka(REAUTHENTICATE_MS);
});

afterAll(() => kafka.stop());

beforeEach(() => {
  Object.assign(kafka.issuer, { answer: undefined, isForging: false, lifetimeSeconds: 300 });
});

/** A client with tokens of its own. */
function client(
  changes: Partial<ClientCredentials> = {},
  options: Partial<KafkaOptions> = {},
  extensions = {},
): KafkaOptions {
  const { tokenEndpointUrl, client: known } = kafka.issuer;
  const tokens = clientCredentialTokens({ tokenEndpointUrl, ...known, ...changes });
  return {
    brokers: [kafka.address],
    clientId: 'token-test',
    sasl: { mechanism: 'oauthbearer', tokens, extensions },
    ...options,
  };
}

/** Requests with a scope: a client of an earlier test that has given up may still be sending its last one. */
const requestsFor = (scope: string) => kafka.issuer.requests.filter(({ form }) => form['scope'] === scope);

describe('a login with an access token', () => {
  it('serves admin, producer and consumer with one request for a token', async () => {
    const scope = 'kafka.write kafka.read';
    const options = client({ scope });
    const topic = await newTopic(options);
    const { values } = await follow(options, topic);
    await publish(options, numbered(topic, 100));
    await waitFor(() => values().length === 100);
    expect(requestsFor(scope).map(({ form }) => form)).toEqual([{ grant_type: 'client_credentials', scope }]);
  });

  it('serves transactions and group membership, also after the broker asks for another login', async () => {
    const options = client();
    const names = { in: await newTopic(options), out: await newTopic(options) };
    const state = await newTopic(options, { config: { 'cleanup.policy': 'compact' } });
    const runner = createKafkaTaskRunner({
      ...options,
      groupId: uniqueName('group'),
      delivery: 'exactly_once',
      topics: [names.in],
      stateTopic: state,
    });
    const recoveries: unknown[] = [];
    onTestFinished(() => runner.stop());
    await runner.run(
      (_, lane) => ({
        restore: () => undefined,
        replay: () => Promise.resolve(),
        ready: () => undefined,
        process: ({ records, next }) => {
          const outputs = records.map(({ value }) => ({ topic: names.out, key: 'k', value: String(value) }));
          void lane.commit({ position: next, resumeFrom: next, outputs, state: [] }).catch(restarts);
          return Promise.resolve();
        },
        close: () => undefined,
      }),
      { onRecovered: (recovery) => recoveries.push(recovery) },
    );
    const { values } = await follow(options, names.out);
    const sink = await openSink(options);
    const began = Date.now();
    let sent = 0;
    // Well beyond the end of the first sessions.
    while (Date.now() - began < 1.5 * REAUTHENTICATE_MS) {
      await sink.publish(numbered(names.in, 10, sent));
      sent += 10;
      await waitFor(() => values().length >= sent);
    }
    expect(values()).toEqual(Array.from({ length: sent }, (_, index) => String(index)));
    // A lost connection would have opened the partition again.
    expect(recoveries).toHaveLength(1);
  });

  it('sends extensions, which this broker ignores', async () => {
    const options = client({}, {}, { logicalCluster: 'lkc-1', identityPoolId: 'pool-1' });
    await ensureTopics({ ...options, create: false }, []);
  });

  it('keeps its group while the issuer of tokens is down', async () => {
    const options = client();
    const topic = await newTopic(options);
    const assignments: unknown[] = [];
    const membership = await joinGroup(
      { ...options, topics: [topic], groupId: uniqueName('group') },
      { onAssignment: ({ partitions }) => assignments.push(partitions) },
      true,
    );
    onTestFinished(() => membership.leave());
    kafka.issuer.answer = (_, response) => response.writeHead(503).end();
    const began = Date.now();
    while (Date.now() - began < 1.3 * REAUTHENTICATE_MS) await membership.heartbeat();
    expect(assignments).toEqual([[{ topic, partition: 0 }]]);
  });
});

describe('a login with AWS IAM', () => {
  /** The broker verifies tokens of its own issuer; only AWS can verify those of the real signer. */
  const signedIn = (sign: MskSigner['generateAuthToken']): KafkaOptions => ({
    brokers: [kafka.address],
    clientId: 'msk-test',
    sasl: {
      mechanism: 'oauthbearer',
      tokens: mskIamTokens('eu-central-1', undefined, () => Promise.resolve({ generateAuthToken: sign })),
    },
  });

  it('signs one token for the region, for all connections', async () => {
    const regions: string[] = [];
    const options = signedIn(({ region }) => {
      regions.push(region);
      return Promise.resolve({ token: kafka.issuer.token('role'), expiryTime: Date.now() + 900_000 });
    });
    const topic = await newTopic(options);
    const { values } = await follow(options, topic);
    await publish(options, numbered(topic, 10));
    await waitFor(() => values().length === 10);
    expect(regions).toEqual(['eu-central-1']);
  });

  it.each([
    {
      what: 'missing credentials',
      options: () => signedIn(() => Promise.reject(new Error('Could not load credentials'))),
      says: ['Amazon MSK in eu-central-1: Could not load credentials', 'Check the AWS credentials'],
    },
    {
      what: 'a missing package',
      options: () => client({}, { sasl: { mechanism: 'oauthbearer', tokens: mskIamTokens('eu-central-1') } }),
      says: ['aws-msk-iam-sasl-signer-js', 'npm install aws-msk-iam-sasl-signer-js@1'],
    },
  ])('reports $what', async ({ options, says }) => {
    const error = await ensureTopics({ ...options(), create: false }, []).then(
      () => undefined,
      (failure: unknown) => failure as Error,
    );
    expect(error).toMatchObject({ code: 'authentication_failed' });
    for (const words of says) expect(error?.message).toContain(words);
  });
});

describe('a start without a valid token', () => {
  it.each<{ what: string; prepare: () => KafkaOptions; code: string; says: string[] }>([
    {
      what: 'a wrong secret',
      prepare: () => client({ clientSecret: 'wrong-secret' }),
      code: 'authentication_failed',
      says: [
        'answered with status 401 (invalid_client: wrong client or secret)',
        'Check kafka.sasl.oauthbearer.client_id and client_secret.',
      ],
    },
    {
      what: 'a forged token',
      prepare: () => {
        kafka.issuer.isForging = true;
        return client();
      },
      code: 'authentication_failed',
      says: [
        'The broker rejected the access token ({"status":"invalid_token"})',
        'Check that the listener accepts its issuer',
      ],
    },
    {
      what: 'an issuer that is down',
      prepare: () => {
        kafka.issuer.answer = (_, response) => response.writeHead(503).end();
        return client({}, { connectTimeoutMs: 6_000 });
      },
      code: 'broker_unreachable',
      says: ['No access token from http://127.0.0.1:', '/token: it answered with status 503'],
    },
    {
      what: 'a listener without OAUTHBEARER',
      prepare: () => client({}, { brokers: [kafka.plain] }),
      code: 'authentication_failed',
      says: ['does not accept SASL logins'],
    },
  ])('reports $what', async ({ prepare, code, says }) => {
    const lines: string[] = [];
    const outages = new KafkaOutageLog((_, message) => lines.push(message));
    const log: KafkaOptions['log'] = (_, message, fields) => lines.push(message + JSON.stringify(fields));
    const error = await ensureTopics({ ...prepare(), outages, log, create: false }, []).then(
      () => undefined,
      (failure: unknown) => failure as Error,
    );
    expect(error).toMatchObject({ code });
    for (const words of says) expect(error?.message).toContain(words);
    for (const secret of ['wrong-secret', kafka.issuer.client.clientSecret, 'eyJ']) {
      expect([error?.message, ...lines].join('\n')).not.toContain(secret);
    }
  });

  it('gets another token when the brokers reject the first', async () => {
    const scope = 'second-token';
    const options = client({ scope });
    kafka.issuer.isForging = true;
    await expect(ensureTopics({ ...options, create: false }, [])).rejects.toThrow('rejected');
    kafka.issuer.isForging = false;
    await ensureTopics({ ...options, create: false }, []);
    expect(requestsFor(scope)).toHaveLength(2);
  });
});
