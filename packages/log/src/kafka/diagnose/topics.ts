import { messageOf, type TopicNames } from '@loopwatch/contract';
import { delay } from '@loopwatch/platform';
import kafkajs, { type Admin, type ITopicMetadata } from 'kafkajs';
import { LogError } from '../../port/errors.ts';
import { type KafkaOptions, whyHidden, withAdmin } from '../client/client.ts';
import { lacksRight } from '../client/errors.ts';

/** The expected settings of a topic. */
export interface TopicSpec {
  readonly name: string;
  readonly partitions: number;
  /** Default: 3, or the number of brokers if that is lower. */
  readonly replicationFactor?: number;
  /** Kafka's names and values; `max.message.bytes` is a lower bound, all others must be equal. */
  readonly config: Readonly<Record<string, string>>;
  /** The same for settings that new topics have by Kafka's defaults. */
  readonly inherited?: Readonly<Record<string, string>>;
}

/** The result of checking or creating one topic. */
export interface TopicReport {
  readonly topic: string;
  readonly status: 'created' | 'ok' | 'differs' | 'missing' | 'hidden';
  /** One sentence for each difference, with what to do about it. */
  readonly details: readonly string[];
}

const MIB = 1024 * 1024;
const lowerBounds = new Set(['max.message.bytes']);
const compacted = { 'cleanup.policy': 'compact' };
/** Compaction would leave the last record of each session. */
const whole = { 'cleanup.policy': 'delete' };
/** Room for the largest verdict, summary or answer. */
const inherited = { 'max.message.bytes': String(MIB) };

/** Loopwatch's topics and their settings. `partitions` (default 6) limits how many workers can share the load. */
export function topicSpecs(
  topics: TopicNames,
  options: { readonly partitions?: number; readonly replicationFactor?: number } = {},
): TopicSpec[] {
  const { partitions = 6, replicationFactor } = options;
  const spec = (name: string, count: number, config: Readonly<Record<string, string>>): TopicSpec => ({
    name,
    partitions: count,
    config,
    inherited,
    ...(replicationFactor !== undefined && { replicationFactor }),
  });
  return [
    spec(topics.events, partitions, { ...whole, 'max.message.bytes': String(16 * MIB) }),
    spec(topics.verdicts, partitions, whole),
    spec(topics.sessions, partitions, compacted),
    // One partition: there are few settings, and every reader needs all of them in order.
    spec(topics.control, 1, compacted),
    // One partition: there are few triage decisions, too.
    spec(topics.triage, 1, compacted),
    spec(topics.checks, partitions, compacted),
    // A dead letter holds the event's bytes and additional headers.
    spec(topics['dead-letters'], partitions, { ...whole, 'max.message.bytes': String(17 * MIB) }),
    // State changes often; early compaction keeps recovery short.
    spec(topics.state, partitions, {
      ...compacted,
      'segment.ms': '600000',
      'max.message.bytes': String(4 * MIB),
    }),
  ];
}

/** How long to wait until new topics have leaders. */
const LEADERS_MS = 30_000;

/**
 * Creates the topics that are missing and compares the others with their specs; existing topics are never changed.
 *
 * @param options With `create: false`, topics that are missing, or that this user may not see, are only reported.
 * @throws LogError `broker_unreachable`, `authentication_failed`, `not_authorized` or, when the cluster refuses the
 *   settings, `request_failed`.
 */
export async function ensureTopics(
  options: KafkaOptions & { readonly create?: boolean },
  specs: readonly TopicSpec[],
): Promise<TopicReport[]> {
  return withAdmin(options, 'create and check the topics', async (admin) => {
    const existing = new Set(await admin.listTopics());
    const missing = specs.filter(({ name }) => !existing.has(name));
    const create = options.create ?? true;
    if (create && missing.length > 0) await createTopics(admin, missing, options.brokers);
    const reports = await checkTopics(
      admin,
      specs.filter(({ name }) => existing.has(name)),
    );
    const absent = create ? missing.map(({ name }) => created(name)) : await reportMissing(admin, missing);
    const all = new Map([...reports, ...absent.map((report) => [report.topic, report] as const)]);
    return specs.flatMap(({ name }) => all.get(name) ?? []);
  });
}

function created(topic: string): TopicReport {
  return { topic, status: 'created', details: [] };
}

async function reportMissing(admin: Admin, specs: readonly TopicSpec[]): Promise<TopicReport[]> {
  const reports: TopicReport[] = [];
  for (const { name: topic } of specs) {
    const hidden = (await whyHidden(admin, topic)) !== undefined;
    reports.push(
      hidden
        ? { topic, status: 'hidden', details: [`this Kafka user may not see ${topic}`] }
        : { topic, status: 'missing', details: [] },
    );
  }
  return reports;
}

async function createTopics(
  admin: Admin,
  specs: readonly TopicSpec[],
  brokers: readonly string[],
): Promise<void> {
  const { brokers: nodes } = await admin.describeCluster();
  const topics = specs.map(({ name, partitions, replicationFactor = Math.min(3, nodes.length), config }) => {
    // Three replicas are of no use if one is enough to acknowledge a write.
    const safe = replicationFactor >= 3 ? { 'min.insync.replicas': '2' } : {};
    const configEntries = Object.entries({ ...safe, ...config }).map(([key, value]) => ({
      name: key,
      value,
    }));
    return { topic: name, numPartitions: partitions, replicationFactor, configEntries };
  });
  try {
    await admin.createTopics({ topics, waitForLeaders: false });
  } catch (error) {
    // kafkajs collects the errors, each with its topic.
    const reasons = error instanceof kafkajs.KafkaJSAggregateError ? error.errors : [];
    if (reasons.length === 0) throw error;
    const texts = reasons.map((reason) => {
      const topic = typeof reason === 'object' && 'topic' in reason ? `${String(reason.topic)}: ` : '';
      return topic + messageOf(reason);
    });
    const refused = `Cannot create topics on ${brokers.join(', ')}: ${texts.join('; ')}.`;
    const advice =
      'Change the partitions or the replication factor, or ask a cluster administrator to create the topics.';
    throw new LogError('request_failed', `${refused} ${advice}`, { cause: error });
  }
  await awaitLeaders(
    admin,
    specs.map(({ name }) => name),
  );
}

/**
 * A topic is writable once each partition has a leader. kafkajs could wait too, but fails if a broker does not know the new
 * topic yet.
 */
async function awaitLeaders(admin: Admin, names: readonly string[]): Promise<void> {
  const deadline = performance.now() + LEADERS_MS;
  for (;;) {
    try {
      const { topics } = await admin.fetchTopicMetadata({ topics: [...names] });
      if (topics.every(({ partitions }) => partitions.every(({ leader }) => leader >= 0))) return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
    if (performance.now() > deadline) {
      throw new LogError(
        'request_failed',
        `Topics ${names.join(', ')} were created, but still have partitions without a leader after ${LEADERS_MS / 1000} seconds. Check that enough brokers are running.`,
      );
    }
    await delay(50);
  }
}

async function checkTopics(admin: Admin, specs: readonly TopicSpec[]): Promise<Map<string, TopicReport>> {
  if (specs.length === 0) return new Map();
  const { topics } = await admin.fetchTopicMetadata({ topics: specs.map(({ name }) => name) });
  const configs = await configsOf(admin, specs);
  return new Map(
    specs.map((spec) => {
      const metadata = topics.find(({ name }) => name === spec.name);
      const config = configs?.get(spec.name);
      const details = [...partitionDetails(spec, metadata), ...(configs ? configDetails(spec, config) : [])];
      return [spec.name, { topic: spec.name, status: details.length === 0 ? 'ok' : 'differs', details }];
    }),
  );
}

/** Undefined if this user may not read them, which a worker does not need. */
async function configsOf(
  admin: Admin,
  specs: readonly TopicSpec[],
): Promise<Map<string, Map<string, string>> | undefined> {
  const resources = specs.map((spec) => ({
    type: kafkajs.ConfigResourceTypes.TOPIC,
    name: spec.name,
    configNames: Object.keys(expectedOf(spec)),
  }));
  const wanted = resources.filter(({ configNames }) => configNames.length > 0);
  if (wanted.length === 0) return new Map();
  const answer = await admin
    .describeConfigs({ resources: wanted, includeSynonyms: false })
    .catch((error: unknown) => {
      if (lacksRight(error)) return undefined;
      throw error;
    });
  if (answer === undefined) return undefined;
  return new Map(
    answer.resources.map(({ resourceName, configEntries }) => [
      resourceName,
      new Map(configEntries.map(({ configName, configValue }) => [configName, configValue])),
    ]),
  );
}

function partitionDetails(spec: TopicSpec, metadata: ITopicMetadata | undefined): string[] {
  const count = metadata?.partitions.length ?? 0;
  if (count === spec.partitions) return [];
  const advice =
    count < spec.partitions
      ? `add some with kafka-topics.sh --alter --topic ${spec.name} --partitions ${spec.partitions} while no session is live`
      : 'set that number in the configuration';
  return [
    `${spec.name} has ${count} partition${count === 1 ? '' : 's'}, ${spec.partitions} expected: ${advice}`,
  ];
}

function expectedOf({ config, inherited: defaults = {} }: TopicSpec): Readonly<Record<string, string>> {
  return { ...defaults, ...config };
}

function configDetails(spec: TopicSpec, actual: ReadonlyMap<string, string> | undefined): string[] {
  return Object.entries(expectedOf(spec)).flatMap(([name, expected]) => {
    const value = actual?.get(name);
    const fits = lowerBounds.has(name) ? Number(value) >= Number(expected) : value === expected;
    if (fits) return [];
    const advice = `kafka-configs.sh --alter --topic ${spec.name} --add-config ${name}=${expected}`;
    return [`${name} of ${spec.name} is ${value ?? 'unknown'}, ${expected} expected: set it with ${advice}`];
  });
}
