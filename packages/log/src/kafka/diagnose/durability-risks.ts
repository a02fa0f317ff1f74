/** Settings that decide how safely a cluster stores a topic, or will store one that it has yet to create. */
export interface TopicSafety {
  readonly topic: string;
  /** Whether it is one of Kafka's own topics, which store transactions and committed offsets. */
  readonly internal: boolean;
  readonly exists: boolean;
  /** Copies of each record. This and the following are undefined if this user may not see them. */
  readonly copies: number | undefined;
  /** In-sync copies required before a write is acknowledged. */
  readonly minInSync: number | undefined;
  /** Whether a broker that lacks acknowledged records may become leader. */
  readonly uncleanElection: boolean | undefined;
}

/** A way to lose acknowledged records. */
export interface DurabilityRisk {
  /** What was found, and its possible consequence. */
  readonly risk: string;
  readonly advice: string;
}

/** With fewer brokers, a record does not have two copies while one broker is down. */
export const ENOUGH_BROKERS = 3;

interface Rule {
  /** What is wrong, as in "<topics>: <finding>"; undefined if nothing is. */
  readonly finds: (safety: TopicSafety) => string | undefined;
  /** The topic setting that fixes it; undefined for replicas, which another tool changes. */
  readonly setting?: string;
}

const rules: readonly Rule[] = [
  {
    finds: ({ copies = ENOUGH_BROKERS }) =>
      copies < ENOUGH_BROKERS ? `replication factor ${copies}: ${ENOUGH_BROKERS} is recommended` : undefined,
  },
  {
    finds: ({ copies = ENOUGH_BROKERS, minInSync = 2 }) =>
      copies >= ENOUGH_BROKERS && minInSync < 2
        ? `min.insync.replicas=${minInSync}: a write is acknowledged when a single broker has it`
        : undefined,
    setting: 'min.insync.replicas=2',
  },
  {
    finds: ({ uncleanElection = false }) =>
      uncleanElection
        ? 'unclean.leader.election.enable=true: a broker that lacks acknowledged records may become leader'
        : undefined,
    setting: 'unclean.leader.election.enable=false',
  },
];

/** Each risk once, with all topics that it affects. */
export function durabilityRisks(
  topics: readonly TopicSafety[],
  brokers: readonly string[],
): DurabilityRisk[] {
  const found = new Map<string, { rule: Rule; finding: string; affected: TopicSafety[] }>();
  for (const safety of topics) {
    for (const rule of rules) {
      const finding = rule.finds(safety);
      if (finding === undefined) continue;
      const kind = `${finding} ${String(safety.internal)} ${String(safety.exists)}`;
      const risk = found.get(kind) ?? { rule, finding, affected: [] };
      risk.affected.push(safety);
      found.set(kind, risk);
    }
  }
  return Array.from(found.values(), ({ rule, finding, affected }) => {
    const names = affected.map(({ topic }) => topic);
    const isInternal = affected.some(({ internal }) => internal);
    const loss = isInternal ? 'verdicts can be lost or duplicated' : 'records can be lost';
    return {
      risk: `${names.join(', ')}: ${finding}. If brokers fail, ${loss}.`,
      advice: affected.some(({ exists }) => exists)
        ? fixFor(names, brokers, rule.setting)
        : `Kafka creates ${names.join(' and ')} on first use: set ${brokerSettings(affected, rule)} in server.properties on each broker before that.`,
    };
  });
}

function fixFor(topics: readonly string[], brokers: readonly string[], setting: string | undefined): string {
  if (setting === undefined)
    return `Raise the number of replicas to ${ENOUGH_BROKERS} with kafka-reassign-partitions.sh.`;
  const change = `kafka-configs.sh --bootstrap-server ${brokers.join(',')} --alter --add-config ${setting} --topic`;
  return topics.length === 1
    ? `Run ${change} ${topics.join('')}`
    : `Run for each of these topics: ${change} <topic>`;
}

/** Kafka creates internal topics with the brokers' own settings. */
function brokerSettings(affected: readonly TopicSafety[], { setting }: Rule): string {
  return affected
    .map(({ topic }) => {
      const isTransactions = topic === transactionTopic;
      if (setting === undefined)
        return `${isTransactions ? 'transaction.state.log' : 'offsets.topic'}.replication.factor=${ENOUGH_BROKERS}`;
      return isTransactions && setting.startsWith('min.') ? 'transaction.state.log.min.isr=2' : setting;
    })
    .join(', ');
}

export const transactionTopic = '__transaction_state';
export const offsetsTopic = '__consumer_offsets';
