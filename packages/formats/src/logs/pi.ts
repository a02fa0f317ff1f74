import { isObject, type JsonObject, nameOf, objectOf, textOf, timeOf } from '../record/json.ts';
import { placeTags } from '../record/place-tags.ts';
import { readMessage } from '../wire/messages.ts';
import { costOf, messageLog, usageBy, withUsage } from './message-log.ts';

const entries = new Set([
  'model_change',
  'thinking_level_change',
  'compaction',
  'branch_summary',
  'custom',
  'custom_message',
  'label',
  'session_info',
  'leaf',
]);
const usageNames = { input: 'input', output: 'output', read: 'cacheRead', write: 'cacheWrite' };

/**
 * pi and OpenClaw, which is built on it (`~/.pi/agent/sessions`, `~/.openclaw/agents/*` + `/sessions`), and Droid, whose records
 * have the same shape (`~/.factory/sessions`). Forked sessions copy earlier records. Sources: `docs/session.md` of
 * `@mariozechner/pi-coding-agent` 0.73; for Droid, jazzyalex/agent-sessions.
 */
export const pi = messageLog({
  name: 'pi',
  title: 'a session of pi, OpenClaw or Droid',
  hasCopies: true,
  keys: ['type', 'id', 'parentId', 'timestamp', 'message', 'cwd', 'version'],
  recognizes: (record) =>
    isHeader(record) ||
    ('id' in record &&
      'timestamp' in record &&
      (record['type'] === 'message'
        ? isObject(record['message']) && 'role' in record['message'] && !('payload' in record)
        : entries.has(nameOf(record['type'])) && 'parentId' in record)),
  read: (record) => {
    const type = nameOf(record['type']);
    if (isHeader(record)) return { type, ...headerFacts(record) };
    const message = objectOf(record['message']);
    const id = textOf(record['id']);
    const time = timeOf(record['timestamp']) ?? timeOf(message['timestamp']);
    const { total } = objectOf(objectOf(message['usage'])['cost']);
    return {
      type: type === 'message' ? `message (${nameOf(message['role'])})` : type,
      // An id of eight digits is unique within its session only.
      id: id === undefined || time === undefined ? undefined : `${id}@${String(time)}`,
      time,
      model: textOf(message['model']) ?? textOf(record['modelId']),
      messages: withUsage(readMessage(message), usageBy(message['usage'], usageNames), costOf(total)),
    };
  },
});

/** Droid's header has no time. */
function isHeader({ type, id, cwd, timestamp }: JsonObject): boolean {
  if (typeof id !== 'string') return false;
  return type === 'session_start' || (type === 'session' && (cwd !== undefined || timestamp !== undefined));
}

function headerFacts(record: JsonObject) {
  const parent = textOf(record['parentSession'])?.replace(/\.jsonl$/, '');
  return {
    sessionId: textOf(record['id']),
    // The name of a file ends with the id of its session.
    parentSessionId: parent?.split(/[_/\\]/).at(-1),
    agent: record['type'] === 'session_start' ? 'droid' : undefined,
    tags: placeTags(record['cwd']),
  };
}
