import { topicNames } from '@loopwatch/contract';
import { type ConsumerMonitor, startBare, startWorker } from './consumers.ts';

/** Message from a member of a measured group to the bench that started it. */
export type MemberMessage = { readonly assigned: number } | { readonly processed: number };

/** One process of a group: `group-member.ts bare|worker BROKERS PREFIX GROUP`; starts on a message, exits with its parent. */
const [, , kind, brokerList = '', prefix = '', groupId = ''] = process.argv;
const brokers = brokerList.split(',');
const topics = topicNames({ prefix });
const report = (message: MemberMessage) => process.send?.(message);
const monitor: ConsumerMonitor = {
  startSignal: new Promise((resolve) => {
    process.once('message', () => resolve());
  }),
  onAssigned: (assigned) => report({ assigned }),
  onStart: () => undefined,
  onProcessed: (processed) => report({ processed }),
};
process.once('disconnect', () => process.exit());
if (kind === 'bare') await startBare(brokers, topics.events, groupId, monitor);
else await startWorker(brokers, topics, 'stream', { groupId, delivery: 'exactly_once' }, monitor);
