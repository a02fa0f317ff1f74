import kafkajs, { type Admin } from 'kafkajs';
import { type KafkaOptions, withAdmin } from '../client/client.ts';
import { lacksRight } from '../client/errors.ts';
import {
  type DurabilityRisk,
  durabilityRisks,
  ENOUGH_BROKERS,
  offsetsTopic,
  type TopicSafety,
  transactionTopic,
} from './durability-risks.ts';

/** How a cluster may lose records that it has acknowledged. */
export interface Durability {
  readonly brokers: number;
  /** If false, no setting helps: the cluster needs more brokers first. */
  readonly enoughBrokers: boolean;
  readonly risks: readonly DurabilityRisk[];
  /** Topics whose settings this user may not see. */
  readonly hidden: readonly string[];
}

/**
 * Checks replication factor, `min.insync.replicas` and unclean leader election of these topics and of the two internal topics
 * that store transactions and committed offsets. Changes nothing.
 *
 * @param topics topics that do not exist are skipped
 * @throws LogError as {@link withAdmin}
 */
export async function checkDurability(options: KafkaOptions, topics: readonly string[]): Promise<Durability> {
  return withAdmin(options, 'check how safely the cluster stores records', async (admin) => {
    const { brokers } = await admin.describeCluster();
    const existing = new Set(await admin.listTopics());
    const internals = [transactionTopic, offsetsTopic];
    const present = [...topics, ...internals].filter((topic) => existing.has(topic));
    const copies = await copiesOf(admin, present);
    const broker = String(brokers[0]?.nodeId);
    const results: (TopicSafety | string)[] = await Promise.all([
      ...present.map((topic) => safetyOf(admin, topic, copies.get(topic))),
      ...internals
        .filter((topic) => !existing.has(topic))
        .map((topic) => plannedSafetyOf(admin, topic, broker)),
    ]);
    const readable = results.filter((each) => typeof each !== 'string');
    return {
      brokers: brokers.length,
      enoughBrokers: brokers.length >= ENOUGH_BROKERS,
      risks: durabilityRisks(readable, options.brokers),
      hidden: results.filter((each) => typeof each === 'string'),
    };
  });
}

/** Replicas by topic: those of the partition with the fewest. */
async function copiesOf(admin: Admin, present: string[]): Promise<ReadonlyMap<string, number>> {
  if (present.length === 0) return new Map();
  const { topics } = await admin.fetchTopicMetadata({ topics: present });
  return new Map(
    topics.map(({ name, partitions }) => [
      name,
      Math.min(...partitions.map(({ replicas }) => replicas.length)),
    ]),
  );
}

/** @returns the topic's name if this user may not see its settings */
async function safetyOf(
  admin: Admin,
  topic: string,
  copies: number | undefined,
): Promise<TopicSafety | string> {
  const settings = await settingsOf(admin, kafkajs.ConfigResourceTypes.TOPIC, topic, [minInSync, unclean]);
  if (settings === undefined) return topic;
  return {
    topic,
    internal: topic.startsWith('__'),
    exists: true,
    copies,
    minInSync: numberIn(settings, minInSync),
    uncleanElection: settings.get(unclean) === 'true',
  };
}

/** The settings with which a broker would create an internal topic. */
async function plannedSafetyOf(admin: Admin, topic: string, broker: string): Promise<TopicSafety | string> {
  const isTransactions = topic === transactionTopic;
  const copies = isTransactions
    ? 'transaction.state.log.replication.factor'
    : 'offsets.topic.replication.factor';
  const inSync = isTransactions ? 'transaction.state.log.min.isr' : minInSync;
  const names = [copies, inSync, unclean];
  const settings = await settingsOf(admin, kafkajs.ConfigResourceTypes.BROKER, broker, names);
  if (settings === undefined) return topic;
  return {
    topic,
    internal: true,
    exists: false,
    copies: numberIn(settings, copies),
    minInSync: numberIn(settings, inSync),
    uncleanElection: settings.get(unclean) === 'true',
  };
}

const minInSync = 'min.insync.replicas';
const unclean = 'unclean.leader.election.enable';

/** Undefined if this user may not read them. */
async function settingsOf(
  admin: Admin,
  type: kafkajs.ConfigResourceTypes,
  name: string,
  configNames: string[],
): Promise<ReadonlyMap<string, string> | undefined> {
  try {
    const { resources } = await admin.describeConfigs({
      resources: [{ type, name, configNames }],
      includeSynonyms: false,
    });
    return new Map(
      resources.flatMap(({ configEntries }) =>
        configEntries.map(({ configName, configValue }) => [configName, configValue] as const),
      ),
    );
  } catch (error) {
    if (lacksRight(error)) return undefined;
    throw error;
  }
}

function numberIn(settings: ReadonlyMap<string, string>, name: string): number | undefined {
  const value = settings.get(name);
  return value === undefined ? undefined : Number(value);
}
