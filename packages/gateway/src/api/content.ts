import type { Json } from './conversation.ts';
import { isObject, objects, text } from './json.ts';

/** The text of a message: a string, or those of its parts. */
export function contentText(content: unknown, between = ''): string {
  if (typeof content === 'string') return content;
  return objects(content)
    .flatMap((part) => text(part['text']) ?? [])
    .join(between);
}

/** The text of a user's message: each part begins a line. */
export function userText(content: unknown): string {
  return contentText(content, '\n');
}

/**
 * A content with each of its texts run through a function; parts left without any are taken out.
 *
 * @returns the content itself where nothing changed, undefined where nothing is left of what had something before
 */
export function editContent(content: unknown, edit: (text: string) => string): unknown {
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
 * Messages with the user's texts run through a function. One of which nothing is left is taken out, and with it the
 * answer that the gateway gave to it.
 */
export function editUserTexts(
  messages: readonly Json[],
  edit: (text: string) => string,
  isOwnAnswer: (text: string) => boolean,
): Json[] {
  const edited: Json[] = [];
  let emptied = false;
  for (const message of messages) {
    const { role, content } = message;
    const answered = emptied && role === 'assistant' && isOwnAnswer(contentText(content));
    emptied = false;
    if (answered) continue;
    const left = role === 'user' ? editContent(content, edit) : content;
    if (left === undefined && role === 'user') emptied = true;
    else edited.push(left === content ? message : { ...message, content: left });
  }
  return edited;
}

function editPart(part: unknown, edit: (text: string) => string): unknown[] {
  if (!isObject(part) || typeof part['text'] !== 'string') return [part];
  const edited = edit(part['text']);
  if (edited === part['text']) return [part];
  return edited === '' ? [] : [{ ...part, text: edited }];
}
