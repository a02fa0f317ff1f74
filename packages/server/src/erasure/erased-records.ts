import { erasedHeader, type TopicNames } from '@loopwatch/contract';
import type { LogRecord } from '@loopwatch/log';

/** What the embedded log holds of erased sessions. */
export interface ErasedContent {
  readonly sessionIds: readonly string[];
  readonly incidentIds: readonly string[];
}

/** @returns whether a record of a topic belongs to erased sessions; the marks of the erasure itself do not */
export function erasedRecords(
  topics: Pick<TopicNames, 'checks' | 'dead-letters'>,
  { sessionIds, incidentIds }: ErasedContent,
): (topic: string, record: LogRecord) => boolean {
  const sessions = new Set(sessionIds);
  const keys = new Set([...sessionIds, ...sessionIds.map((id) => `session:${id}`), ...incidentIds]);
  const quoted = sessionIds.map((id) => JSON.stringify(id));
  return (topic, { key, text, headers }) => {
    if (text === null && erasedHeader in headers) return false;
    if (key !== null && keys.has(key.toString())) return true;
    if (text === null) return false;
    if (topic === topics.checks) return sessions.has(sessionOf(text) ?? '');
    // A record that cannot be read may tell its session nevertheless.
    return topic === topics['dead-letters'] && quoted.some((id) => text.includes(id));
  };
}

function sessionOf(text: string): string | undefined {
  try {
    const { sessionId } = JSON.parse(text) as { sessionId?: unknown };
    return typeof sessionId === 'string' ? sessionId : undefined;
  } catch {
    return undefined;
  }
}
