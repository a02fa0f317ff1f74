import { withHookInputs } from '../agents/hook-input.ts';
import { isObject, nameOf } from '../record/json.ts';
import { readMessage } from '../wire/messages.ts';
import { messageLog } from './message-log.ts';

/**
 * Cursor: transcripts of its agent (`~/.cursor/projects/*` + `/agent-transcripts`), one message per line, without results of
 * tools or times. A transcript ends each turn with a record of the type `turn_ended`. Inputs of hooks have both, by https://cursor.com/docs/agent/hooks.
 */
export const cursor = withHookInputs(
  messageLog({
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
  }),
  'cursor',
);
