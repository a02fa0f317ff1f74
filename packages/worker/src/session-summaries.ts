import type { TopicNames } from '@loopwatch/contract';
import type { OutputRecord } from '@loopwatch/log';
import type { SessionNews } from '@loopwatch/pipeline';

/** Sessions as they stand now, and tombstones for what was recorded of those whose time is over. */
export function newsOutputs(
  { summaries, over, checksOver }: SessionNews,
  { sessions, checks }: Pick<TopicNames, 'sessions' | 'checks'>,
): OutputRecord[] {
  return [
    ...summaries.map((summary) => ({
      topic: sessions,
      key: summary.sessionId,
      value: JSON.stringify(summary),
    })),
    ...over.map((sessionId) => ({ topic: sessions, key: sessionId, value: null })),
    ...checksOver.map((id) => ({ topic: checks, key: id, value: null })),
  ];
}
