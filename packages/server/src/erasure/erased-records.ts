import { erasedHeader, storableText, type TopicNames } from '@loopwatch/contract';
import type { LogRecord } from '@loopwatch/log';

/** What the embedded log holds of erased sessions. */
export interface ErasedContent {
  readonly sessionIds: readonly string[];
  readonly incidentIds: readonly string[];
}

/**
 * @param onFound called with the session of an erased record
 * @returns whether a record of a topic belongs to erased sessions; the marks of the erasure itself do not
 */
export function erasedRecords(
  topics: Pick<TopicNames, 'checks' | 'dead-letters'>,
  { sessionIds, incidentIds }: ErasedContent,
  onFound: (sessionId: string) => void,
): (topic: string, record: LogRecord) => boolean {
  const incidents = new Set(incidentIds);
  const sessions = new Map(
    sessionIds.flatMap((id) => [[storableText(id), id] as const, [`session:${id}`, id] as const]),
  );
  const quoted = sessionIds.map((id) => [id, JSON.stringify(id)] as const);
  const found = (id: string | undefined): boolean => {
    if (id !== undefined) onFound(id);
    return id !== undefined;
  };
  return (topic, { key, text, headers }) => {
    if (text === null && erasedHeader in headers) return false;
    const name = key === null ? null : storableText(key.toString());
    if (name !== null && (found(sessions.get(name)) || incidents.has(name))) return true;
    if (text === null) return false;
    if (topic === topics.checks) return found(sessions.get(sessionOf(text) ?? ''));
    // A record that cannot be read may tell its session nevertheless.
    return topic === topics['dead-letters'] && found(quoted.find(([, quote]) => text.includes(quote))?.[0]);
  };
}

function sessionOf(text: string): string | undefined {
  try {
    const { sessionId } = JSON.parse(text) as { sessionId?: unknown };
    return typeof sessionId === 'string' ? storableText(sessionId) : undefined;
  } catch {
    return undefined;
  }
}
