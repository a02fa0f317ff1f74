import { allowedValues, didYouMean, nearest, toolCallLoopSchema, valueFromText } from '@loopwatch/contract';

/**
 * Commands that a user writes into the conversation: `!/set(tool-loop-max-repeats=4)`,
 * `!/unset(tool-loop-mode, tool-loop-ttl)`. Names may be written with hyphens or underscores, values with quotes.
 */

/** What one command changes, by dotted path, or why it cannot. */
export type ChatCommand =
  | { readonly set: Readonly<Record<string, unknown>>; readonly unset: readonly string[] }
  | { readonly refused: string };

const MARK = '!/';
const command = /!\/(set|unset)\(([^()\n]{0,500})\)/g;
const assignment = /^([^=]*)=(.*)$/;
/** Names that begin otherwise are commands for somebody else. */
const ours = /^tool[-_]loop[-_]/;

const { enabled, max_repeats: maxRepeats, ttl_seconds: ttlSeconds, mode } = toolCallLoopSchema.shape;
const settings = new Map([
  ['tool_loop_detection', { path: 'tool_call_loop.enabled', schema: enabled }],
  ['tool_loop_detection_enabled', { path: 'tool_call_loop.enabled', schema: enabled }],
  ['tool_loop_max_repeats', { path: 'tool_call_loop.max_repeats', schema: maxRepeats }],
  ['tool_loop_ttl', { path: 'tool_call_loop.ttl_seconds', schema: ttlSeconds }],
  ['tool_loop_ttl_seconds', { path: 'tool_call_loop.ttl_seconds', schema: ttlSeconds }],
  ['tool_loop_mode', { path: 'tool_call_loop.mode', schema: mode }],
]);

/** The commands in a text, in their order; those of others are left out. */
export function chatCommands(text: string): ChatCommand[] {
  if (!text.includes(MARK)) return [];
  return [...text.matchAll(command)].flatMap(([, verb, inside = '']) => {
    const parts = inside
      .split(',')
      .map((part) => part.trim())
      .filter((part) => ours.test(part));
    if (parts.length === 0) return [];
    return [verb === 'set' ? setting(parts) : unsetting(parts)];
  });
}

/** The text without the commands that {@link chatCommands} finds in it, and without the white space around them. */
export function withoutChatCommands(text: string): string {
  if (!text.includes(MARK)) return text;
  return text
    .replace(command, (whole: string) => (chatCommands(whole).length === 0 ? whole : ''))
    .replace(/(?<![ \t])[ \t]+$/gm, '')
    .trim();
}

function setting(parts: readonly string[]): ChatCommand {
  const set: Record<string, unknown> = {};
  for (const part of parts) {
    const [, name = part, value] = assignment.exec(part) ?? [];
    const known = lookUp(name.trim());
    if (typeof known === 'string') return { refused: known };
    const given = unquoted(value ?? '');
    const parsed = valueFromText(given, known.schema);
    if (value === undefined || given === '' || !known.schema.safeParse(parsed).success)
      return {
        refused: `${name.trim()} is ${JSON.stringify(given)}; allowed: ${allowedValues(known.schema)}`,
      };
    set[known.path] = parsed;
  }
  return { set, unset: [] };
}

function unsetting(parts: readonly string[]): ChatCommand {
  const unset: string[] = [];
  for (const name of parts) {
    const known = lookUp(name);
    if (typeof known === 'string') return { refused: known };
    unset.push(known.path);
  }
  return { set: {}, unset };
}

/** The setting that a name stands for, or the text that refuses it. */
function lookUp(name: string) {
  const plain = name.replaceAll('-', '_').toLowerCase();
  return settings.get(plain) ?? `${name} is no setting${didYouMean(nearest(plain, [...settings.keys()]))}`;
}

function unquoted(value: string): string {
  const text = value.trim();
  const quoted = /^(["'])(.*)\1$/.exec(text);
  return (quoted?.[2] ?? text).trim();
}
