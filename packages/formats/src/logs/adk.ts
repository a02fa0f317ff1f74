import { isObject, type JsonObject, listOf, objectOf, textOf, timeOf } from '../record/json.ts';
import { geminiUsage } from '../wire/gemini.ts';
import { readMessage } from '../wire/messages.ts';
import { messageLog, withUsage } from './message-log.ts';

/**
 * Google ADK: events of a runner or session, and whole sessions with their events, with names in snake or camel case. Source:
 * `google/adk/events/event.py` and `sessions/session.py` of google-adk 2.
 */
export const adk = messageLog({
  name: 'adk',
  title: 'a Google ADK event',
  keys: ['author', 'invocation_id', 'invocationId', 'content', 'actions', 'events', 'app_name', 'appName'],
  recognizes: (record) => isEvent(record) || isSession(record),
  recordsIn: (record) => {
    if (!isSession(record)) return undefined;
    const session = { session_id: record['id'] };
    return listOf(record['events']).map((event) => ({ ...session, ...objectOf(event) }));
  },
  read: (record) => {
    const content = objectOf(record['content']);
    const author = textOf(record['author']);
    const isOfUser = content['role'] === 'user' || (content['role'] === undefined && author === 'user');
    // A stream repeats its pieces as a whole.
    const isPiece = record['partial'] === true || !isObject(record['content']);
    const messages = isPiece ? [] : readMessage({ ...content, role: isOfUser ? 'user' : 'model' });
    return {
      type: record['partial'] === true ? 'event (partial)' : 'event',
      sessionId: textOf(record['session_id']) ?? textOf(record['sessionId']),
      id: textOf(record['id']),
      time: timeOf(record['timestamp']),
      model: textOf(record['model_version']) ?? textOf(record['modelVersion']),
      agent: author === 'user' ? undefined : author,
      messages: withUsage(messages, geminiUsage(record['usage_metadata'] ?? record['usageMetadata'])),
    };
  },
});

function isEvent(record: JsonObject): boolean {
  return 'author' in record && ('invocation_id' in record || 'invocationId' in record);
}

function isSession(record: JsonObject): boolean {
  return Array.isArray(record['events']) && ('app_name' in record || 'appName' in record);
}
