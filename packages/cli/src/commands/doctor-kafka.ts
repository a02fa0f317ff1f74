import { messageOf, type Settings, topicNames } from '@loopwatch/contract';
import { ensureTopics, grantCommand, type KafkaOptions, missingRights, topicSpecs } from '@loopwatch/log';
import { findDurability } from '../kafka/durability.ts';
import { kafkaOptions } from '../kafka/options.ts';
import { type NeededRight, neededRights } from '../kafka/rights.ts';
import { silentLogger } from '../runtime/logger.ts';
import type { Diagnosis } from './diagnosis.ts';

/** Checks brokers, login, certificates, permissions and topics. */
export async function checkKafka(settings: Settings): Promise<Diagnosis[]> {
  const { brokers, security_protocol: protocol, sasl } = settings.kafka;
  if (brokers.length === 0) {
    return [{ ok: true, what: 'no Kafka brokers configured: `loopwatch start` uses the embedded log' }];
  }
  const user = sasl.username ?? sasl.oauthbearer.client_id;
  const login =
    sasl.mechanism === undefined ? '' : `${user === undefined ? '' : ` as ${user}`} (${sasl.mechanism})`;
  const what = `Kafka on ${brokers.join(',')}, ${protocol}${login}`;
  try {
    const options = kafkaOptions(settings, silentLogger());
    const missing = await missingRights(
      options,
      'check the permissions of this user',
      neededRights(settings),
    );
    return [
      { ok: true, what: `${what} answers` },
      ...diagnoseRights(options, missing),
      ...(await checkTopics(options, settings)),
      ...(await diagnoseDurability(settings)),
    ];
  } catch (error) {
    return [{ ok: false, what, advice: messageOf(error) }];
  }
}

const list = new Intl.ListFormat('en-GB');

function diagnoseRights(options: KafkaOptions, missing: readonly NeededRight[]): Diagnosis[] {
  if (missing.length === 0) return [{ ok: true, what: 'this Kafka user has all required permissions' }];
  return missing.map((right) => ({
    ok: false,
    what: `${right.operation} on ${right.resource} ${right.name}${right.prefix === true ? '*' : ''} is not allowed`,
    advice: `loopwatch ${list.format(right.neededBy.map((name) => `\`${name}\``))} ${right.neededBy.length > 1 ? 'need' : 'needs'} it: ${grantCommand(options, right)}`,
  }));
}

async function checkTopics(options: KafkaOptions, { kafka }: Settings): Promise<Diagnosis[]> {
  const { partitions } = kafka;
  const specs = topicSpecs(topicNames(kafka.topics), { partitions });
  const reports = await ensureTopics({ ...options, create: false }, specs);
  // Topics that are hidden from this user were reported with the permissions.
  const visible = reports.filter(({ status }) => status !== 'hidden');
  return visible.map(({ topic, status, details }) => ({
    ok: status === 'ok',
    what: `topic ${topic} ${topicText(status)}`,
    advice: status === 'missing' ? 'Run `npx loopwatch topics`.' : details.join(' '),
  }));
}

function topicText(status: string): string {
  if (status === 'ok') return 'is configured correctly';
  return status === 'missing' ? 'is missing' : 'does not have the expected settings';
}

async function diagnoseDurability(settings: Settings): Promise<Diagnosis[]> {
  const { risks, notes } = await findDurability(settings);
  return [
    ...risks.map(({ risk, advice }) => ({ ok: false, isRisk: true, what: risk, advice })),
    ...notes.map((note) => ({ ok: true, what: note })),
  ];
}
