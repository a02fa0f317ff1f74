/** A value as it is read: its members, those with line breaks as text, and an edit as removed and added lines. */
export interface ReadableValue {
  readonly members: readonly { readonly name: string; readonly text: string; readonly isLong: boolean }[];
  readonly edit?: readonly EditLine[];
  /** What is left if it is no object. */
  readonly text?: string;
}

export interface EditLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** The names that editing tools give to the text before and after. */
const EDITS = [
  ['old_string', 'new_string'],
  ['old_str', 'new_str'],
  ['oldText', 'newText'],
  ['search', 'replace'],
] as const;

/** Unchanged lines shown around a change. */
const CONTEXT_LINES = 2;

/** @param json JSON or plain text */
export function readableValue(json: string): ReadableValue {
  const value = parsed(json);
  if (typeof value === 'string') return { members: [], text: value };
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { members: [], text: Array.isArray(value) ? textOfBlocks(value) : json };
  const object = value as Readonly<Record<string, unknown>>;
  const pair = EDITS.find(([before, after]) => isText(object[before]) && isText(object[after]));
  const names = Object.keys(object).filter((name) => !pair?.some((one) => one === name));
  const members = names.map((name) => {
    const member = object[name];
    const text = isText(member) ? member : JSON.stringify(member, null, 2);
    return { name, text, isLong: text.includes('\n') || text.length > 120 };
  });
  if (pair === undefined) return { members };
  const [before, after] = pair;
  return { members, edit: editOf(String(object[before]), String(object[after])) };
}

/** The most telling members on one line. */
export function valueLine(json: string): string {
  const { members, edit, text } = readableValue(json.slice(0, 4_000));
  if (text !== undefined) return oneLine(text);
  const line = members.map(({ text: member }) => oneLine(member)).join('  ');
  return edit === undefined
    ? line
    : `${line}  ${oneLine(edit.find(({ kind }) => kind === 'added')?.text ?? '')}`;
}

function oneLine(text: string): string {
  return text.slice(0, 400).replace(/\s+/g, ' ').trim();
}

/** A change as lines: what both begin and end with is the same, which is all that a replaced passage needs. */
function editOf(before: string, after: string): EditLine[] {
  const a = before.split('\n');
  const b = after.split('\n');
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const lines = (kind: EditLine['kind'], texts: readonly string[]) => texts.map((text) => ({ kind, text }));
  return [
    ...lines('same', a.slice(Math.max(0, start - CONTEXT_LINES), start)),
    ...lines('removed', a.slice(start, a.length - end)),
    ...lines('added', b.slice(start, b.length - end)),
    ...lines('same', end === 0 ? [] : a.slice(a.length - end).slice(0, CONTEXT_LINES)),
  ];
}

/** The text of content blocks, as many tools return them; else the JSON. */
function textOfBlocks(blocks: readonly unknown[]): string {
  const texts = blocks.map((block) => (block as { readonly text?: unknown } | null)?.text);
  return blocks.length > 0 && texts.every(isText) ? texts.join('\n') : JSON.stringify(blocks, null, 2);
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
