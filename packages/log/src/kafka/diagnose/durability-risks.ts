/** How safely a cluster keeps a topic, or is going to keep one that it has yet to create. */
export interface TopicSafety {
  readonly topic: string;
  /** Kafka's own, where transactions and positions are kept. */
  readonly internal: boolean;
  readonly exists: boolean;
  /** Of each record; undefined where this user may not see it, as with what follows. */
  readonly copies: number | undefined;
  /** How many copies there have to be before a write counts. */
  readonly minInSync: number | undefined;
  /** Whether a broker may take over that lacks some of what was acknowledged. */
  readonly uncleanElection: boolean | undefined;
}

/** A way to lose what was acknowledged. */
export interface DurabilityRisk {
  /** What is so, and what it can lead to. */
  readonly risk: string;
  readonly advice: string;
}

/** With fewer there are not two copies of a record while one broker is down. */
export const enoughBrokers = 3;

interface Rule {
  /** What is wrong, as in "<topics> may …"; undefined when nothing is. */
  readonly finds: (safety: TopicSafety) => string | undefined;
  /** The setting that mends it, of the topic; replicas are moved by another tool. */
  readonly setting?: string;
}

const rules: readonly Rule[] = [
  {
    finds: ({ copies = enoughBrokers }) =>
      copies < enoughBrokers
        ? `replication factor ${copies}: each record is kept ${copies === 1 ? 'once' : 'twice'}, three times is recommended`
        : undefined,
  },
  {
    finds: ({ copies = enoughBrokers, minInSync = 2 }) =>
      copies >= enoughBrokers && minInSync < 2
        ? `min.insync.replicas=${minInSync}: a record counts as written when a single broker has it`
        : undefined,
    setting: 'min.insync.replicas=2',
  },
  {
    finds: ({ uncleanElection = false }) =>
      uncleanElection
        ? 'unclean.leader.election.enable=true: a broker may take over that lacks acknowledged records'
        : undefined,
    setting: 'unclean.leader.election.enable=false',
  },
];

/** Each risk once, with all topics that it is about. */
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
    const loss = isInternal ? 'verdicts that are lost or come twice' : 'lost records';
    return {
      risk: `${names.join(', ')}: ${finding}. Brokers that fail can mean ${loss}.`,
      advice: affected.some(({ exists }) => exists)
        ? mend(names, brokers, rule.setting)
        : `Kafka creates ${names.join(' and ')} with the first use: set ${brokerSettings(affected, rule)} in server.properties of each broker before that.`,
    };
  });
}

function mend(topics: readonly string[], brokers: readonly string[], setting: string | undefined): string {
  if (setting === undefined)
    return `Raise the number of replicas to ${enoughBrokers} with kafka-reassign-partitions.sh.`;
  const change = `kafka-configs.sh --bootstrap-server ${brokers.join(',')} --alter --add-config ${setting} --topic`;
  return topics.length === 1
    ? `Run ${change} ${topics.join('')}`
    : `Run for each of these topics: ${change} <topic>`;
}

/** Internal topics get what the brokers' own settings say when they are created. */
function brokerSettings(affected: readonly TopicSafety[], { setting }: Rule): string {
  return affected
    .map(({ topic }) => {
      const isTransactions = topic === transactionTopic;
      if (setting === undefined)
        return `${isTransactions ? 'transaction.state.log' : 'offsets.topic'}.replication.factor=${enoughBrokers}`;
      return isTransactions && setting.startsWith('min.') ? 'transaction.state.log.min.isr=2' : setting;
    })
    .join(', ');
}

export const transactionTopic = '__transaction_state';
export const offsetsTopic = '__consumer_offsets';
