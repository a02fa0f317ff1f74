import { isObject, nameOf } from '../record/json.ts';
import { readMessage } from '../wire/messages.ts';
import { messageLog } from './message-log.ts';

/**
 * Cursor: transcripts of its agent (`~/.cursor/projects/*` + `/agent-transcripts`), one message per line, without results of
 * tools or times. A transcript ends each turn with a record of the type `turn_ended`.
 */
export const cursor = messageLog({
  name: 'cursor',
  title: 'a transcript of Cursor',
  agent: 'cursor',
  keys: ['role', 'message'],
  recognizes: ({ type, role, message }) =>
    (type === undefined && typeof role === 'string' && isObject(message) && 'content' in message) ||
    type === 'turn_ended',
  read: ({ type, role, message }) => ({
    type: typeof type === 'string' ? type : `message (${nameOf(role)})`,
    messages: isObject(message) ? readMessage({ ...message, role }) : [],
  }),
});
