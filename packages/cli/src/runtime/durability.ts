import { messageOf, type Settings, topicNames } from '@loopwatch/contract';
import { checkDurability, type Durability, type DurabilityRisk } from '@loopwatch/log';
import type { Logger } from 'pino';
import { kafkaOptions } from './kafka.ts';
import { silentLogger } from './logger.ts';

/** What is known of a cluster's safety: risks, and what people should know besides. */
export interface DurabilityFindings {
  readonly risks: readonly DurabilityRisk[];
  readonly notes: readonly string[];
}

/** @throws LogError when the cluster cannot be asked */
export async function findDurability(settings: Settings): Promise<DurabilityFindings> {
  const topics = Object.values(topicNames(settings.kafka.topics));
  return findingsOf(await checkDurability(kafkaOptions(settings, silentLogger()), topics));
}

/** One line for a cluster of one or two brokers, which is for development. */
export function findingsOf({ brokers, enoughBrokers, risks, hidden }: Durability): DurabilityFindings {
  if (!enoughBrokers) {
    const count = `${String(brokers)} Kafka broker${brokers === 1 ? '' : 's'}`;
    const note = `${count}: enough to develop with; in production, let three keep what is acknowledged when one of them fails`;
    return { risks, notes: [note] };
  }
  if (hidden.length > 0) {
    const note = `this Kafka user may not read the settings of ${hidden.join(', ')}: whether they keep what is acknowledged is not known; DescribeConfigs on them, and on the cluster for those that do not exist yet, lets it be checked`;
    return { risks, notes: [note] };
  }
  return {
    risks,
    notes: risks.length > 0 ? [] : ['the cluster keeps what it acknowledges when a broker fails'],
  };
}

/** Warns of risks; a check that fails is no reason not to start. */
export async function logDurability(settings: Settings, logger: Logger): Promise<void> {
  try {
    const { risks, notes } = await findDurability(settings);
    for (const { risk, advice } of risks) logger.warn(`${risk} ${advice}`);
    for (const note of notes) logger.info(`Kafka: ${note}`);
  } catch (error) {
    logger.info(`How safely Kafka keeps records could not be checked: ${messageOf(error)}`);
  }
}
