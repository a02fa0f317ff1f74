import { messageOf, type Settings, topicNames } from '@loopwatch/contract';
import { checkDurability, type Durability, type DurabilityRisk } from '@loopwatch/log';
import type { Logger } from 'pino';
import { counted } from '../runtime/counted.ts';
import { silentLogger } from '../runtime/logger.ts';
import { kafkaOptions } from './options.ts';

/** Risks to durability of a Kafka cluster, and notes for operators. */
export interface DurabilityFindings {
  readonly risks: readonly DurabilityRisk[];
  readonly notes: readonly string[];
}

/** @throws LogError when the cluster cannot be queried */
export async function findDurability(settings: Settings): Promise<DurabilityFindings> {
  const topics = Object.values(topicNames(settings.kafka.topics));
  return findingsOf(await checkDurability(kafkaOptions(settings, silentLogger()), topics));
}

/** A single note for a cluster of one or two brokers, which is fit for development only. */
export function findingsOf({ brokers, enoughBrokers, risks, hidden }: Durability): DurabilityFindings {
  if (!enoughBrokers) {
    const note = `${counted(brokers, 'Kafka broker')}: fine for development; production needs three, so that acknowledged records survive the loss of a broker`;
    return { risks, notes: [note] };
  }
  if (hidden.length > 0) {
    const note = `this Kafka user may not read the settings of ${hidden.join(', ')}, so their durability is unknown; grant DescribeConfigs on them, and on the cluster for topics that do not exist yet`;
    return { risks, notes: [note] };
  }
  return {
    risks,
    notes: risks.length > 0 ? [] : ['acknowledged records survive the loss of a broker'],
  };
}

/** Logs risks; a failed check does not prevent the start. */
export async function logDurability(settings: Settings, logger: Logger): Promise<void> {
  try {
    const { risks, notes } = await findDurability(settings);
    for (const { risk, advice } of risks) logger.warn(`${risk} ${advice}`);
    for (const note of notes) logger.info(`Kafka: ${note}`);
  } catch (error) {
    logger.info(`Cannot check the durability of the Kafka topics: ${messageOf(error)}`);
  }
}
