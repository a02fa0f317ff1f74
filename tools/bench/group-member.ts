import { topicNames } from '@loopwatch/contract';
import { startBare, startWorker, type Watched } from './consumers.ts';

/** The messages of a group member to the bench that started it. */
export type MemberNews = { readonly assigned: number } | { readonly did: number };

/** One process of a group: `group-member.ts bare|worker BROKERS PREFIX GROUP`; begins on request, ends with its parent. */
const [, , kind, brokerList = '', prefix = '', groupId = ''] = process.argv;
const brokers = brokerList.split(',');
const topics = topicNames({ prefix });
const tell = (news: MemberNews) => process.send?.(news);
const watched: Watched = {
  go: new Promise((resolve) => {
    process.once('message', () => resolve());
  }),
  assigned: (assigned) => tell({ assigned }),
  began: () => undefined,
  did: (did) => tell({ did }),
};
process.once('disconnect', () => process.exit());
if (kind === 'bare') await startBare(brokers, topics.events, groupId, watched);
else await startWorker(brokers, topics, { groupId, delivery: 'exactly_once' }, watched);
