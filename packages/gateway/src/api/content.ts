import { joinedText } from '@loopwatch/formats/wire';
import type { Json } from './conversation.ts';
import { isObject, objects } from './json.ts';

/**
 * Edits each text of a content; parts left empty are removed.
 *
 * @returns the same object if nothing changed, undefined if nothing is left of a non-empty content
 */
function editContent(content: unknown, edit: (text: string) => string): unknown {
  if (typeof content === 'string') {
    const edited = edit(content);
    return edited === '' && content !== '' ? undefined : edited;
  }
  if (!Array.isArray(content)) return content;
  const parts = content.flatMap((part: unknown) => editPart(part, edit));
  const isSame = parts.length === content.length && parts.every((part, i) => part === content[i]);
  if (isSame) return content;
  return parts.length === 0 ? undefined : parts;
}

/**
 * A tool result with its texts edited as one. What is no text, such as an image, is kept.
 *
 * @param type of a part that is a text
 */
export function withEditedText(content: unknown, type: string, edit: (text: string) => string): unknown {
  const others = objects(content).filter((part) => typeof part['text'] !== 'string');
  const text = edit(joinedText(content));
  return others.length === 0 ? text : [{ type, text }, ...others];
}

/**
 * Edits the texts of user messages. A message left empty is removed, together with the gateway's reply to it.
 */
export function editUserTexts(
  messages: readonly Json[],
  edit: (text: string) => string,
  isCommandReply: (text: string) => boolean,
  { key, model } = { key: 'content', model: 'assistant' },
): Json[] {
  const edited: Json[] = [];
  let emptied = false;
  for (const message of messages) {
    const { role, [key]: content } = message;
    const answered = emptied && role === model && isCommandReply(joinedText(content));
    emptied = false;
    if (answered) continue;
    const left = role === 'user' ? editContent(content, edit) : content;
    if (left === undefined && role === 'user') emptied = true;
    else edited.push(left === content ? message : { ...message, [key]: left });
  }
  return edited;
}

function editPart(part: unknown, edit: (text: string) => string): unknown[] {
  if (!isObject(part) || typeof part['text'] !== 'string') return [part];
  const edited = edit(part['text']);
  if (edited === part['text']) return [part];
  return edited === '' ? [] : [{ ...part, text: edited }];
}
