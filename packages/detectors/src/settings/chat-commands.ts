import {
  isSetting,
  type SettingPath,
  scalarFromText,
  toolCallLoopDefinition,
} from '@loopwatch/contract/internal';
import type { Refusal } from './refusal.ts';

/**
 * Commands that a user writes into the conversation: `!/set(tool-loop-max-repeats=4)`, `!/unset(tool-loop-mode,
 * tool-loop-ttl)`. Names may be written with hyphens or underscores, values with quotes. A command must be at the
 * beginning of a line, or after another command, and outside code fences, so that quoted text is not executed.
 */

/** The changes of one command, by dotted path, or why it was rejected. */
export type ChatCommand =
  | { readonly set: Readonly<Record<string, unknown>>; readonly unset: readonly string[] }
  | { readonly refused: Refusal };

/** A command and its position in the text. */
interface PlacedCommand {
  readonly start: number;
  readonly end: number;
  /** `null`: the text asks for help. */
  readonly command: ChatCommand | null;
}

const MARK = '!/';
const fence = /^ {0,3}(`{3,}|~{3,})/;
/** Anything intended as a command, even if malformed. */
const attempt = /[ \t]*!\/(set|unset|help)\b(\([^()]{0,500}\))?/iy;
const assignment = /^([^=]*)=(.*)$/;
/** Names with other prefixes are commands of other programs. */
const ours = /^tool[-_]loop[-_]/i;
const mentionsOurs = /tool[-_ ]?loop/i;

const settingsByName = {
  tool_loop_detection: 'enabled',
  tool_loop_detection_enabled: 'enabled',
  tool_loop_max_repeats: 'max_repeats',
  tool_loop_ttl: 'ttl_seconds',
  tool_loop_ttl_seconds: 'ttl_seconds',
  tool_loop_mode: 'mode',
} as const;
/** The settings that commands change, by name. */
export const commandSettings: ReadonlyMap<string, SettingPath> = new Map(
  Object.entries(settingsByName).map(([name, key]) => [
    name,
    { path: `tool_call_loop.${key}`, schema: toolCallLoopDefinition.shape[key] },
  ]),
);

/** The commands in a text, in order, without those of other programs. */
export function chatCommands(text: string): ChatCommand[] {
  return placedCommands(text).flatMap(({ command }) => command ?? []);
}

/** Whether a text asks for the list of commands. */
export function asksForHelp(text: string): boolean {
  return placedCommands(text).some(({ command }) => command === null);
}

/** The text without commands and the white space around them. */
export function withoutChatCommands(text: string): string {
  const placed = placedCommands(text);
  if (placed.length === 0) return text;
  let rest = '';
  let from = 0;
  for (const { start, end } of placed) {
    rest += text.slice(from, start);
    from = end;
  }
  return (rest + text.slice(from)).replace(/(?<![ \t])[ \t]+$/gm, '').trim();
}

function placedCommands(text: string): PlacedCommand[] {
  if (!text.includes(MARK)) return [];
  const placed: PlacedCommand[] = [];
  let open: string | undefined;
  let start = 0;
  for (const line of text.split('\n')) {
    const [whole = '', marks = ''] = fence.exec(line) ?? [];
    if (open !== undefined) {
      if (marks.startsWith(open) && line.slice(whole.length).trim() === '') open = undefined;
    } else if (marks !== '') open = marks;
    else placed.push(...commandsOfLine(line, start));
    start += line.length + 1;
  }
  return placed;
}

/** The commands at the beginning of a line, up to any other text. */
function commandsOfLine(line: string, start: number): PlacedCommand[] {
  const placed: PlacedCommand[] = [];
  let from = 0;
  for (;;) {
    attempt.lastIndex = from;
    const match = attempt.exec(line);
    if (match === null) return placed;
    const [whole, verb = '', inside] = match;
    const command = commandOf(verb.toLowerCase(), inside, line.slice(from + whole.length));
    if (command === undefined) return placed;
    // A command without settings has no end, so it extends to the end of the line.
    const isEndless = command !== null && 'refused' in command && 'verb' in command.refused;
    const end = isEndless ? line.length : from + whole.length;
    placed.push({ start: start + from, end: start + end, command });
    from = end;
  }
}

/** @returns undefined if it belongs to another program */
function commandOf(verb: string, inside: string | undefined, rest: string): ChatCommand | null | undefined {
  if (verb === 'help') return inside === undefined || inside.slice(1, -1).trim() === '' ? null : undefined;
  const list = inside?.slice(1, -1) ?? '';
  if (list.trim() === '') {
    if (inside === undefined && rest.trim() !== '' && !mentionsOurs.test(rest)) return undefined;
    return { refused: { verb } };
  }
  const parts = list
    .split(',')
    .map((part) => part.trim())
    .filter((part) => ours.test(part));
  if (parts.length === 0) return undefined;
  return verb === 'set' ? setting(parts) : unsetting(parts);
}

function setting(parts: readonly string[]): ChatCommand {
  const set: Record<string, unknown> = {};
  for (const part of parts) {
    const [, name = part, value] = assignment.exec(part) ?? [];
    const known = commandSettings.get(commandName(name));
    if (known === undefined) return { refused: { name: name.trim() } };
    const given = unquoted(value ?? '');
    const parsed = scalarFromText(given, known.schema, isSetting);
    if (value === undefined || given === '' || !isSetting(known.schema, parsed))
      return { refused: { name: name.trim(), given, schema: known.schema } };
    set[known.path] = parsed;
  }
  return { set, unset: [] };
}

function unsetting(parts: readonly string[]): ChatCommand {
  const unset: string[] = [];
  for (const name of parts) {
    const known = commandSettings.get(commandName(name));
    if (known === undefined) return { refused: { name } };
    unset.push(known.path);
  }
  return { set: {}, unset };
}

/** A setting's name in the one spelling in which it is known. */
export function commandName(name: string): string {
  return name.trim().replaceAll('-', '_').toLowerCase();
}

function unquoted(value: string): string {
  const text = value.trim();
  const quoted = /^(["'])(.*)\1$/.exec(text);
  return (quoted?.[2] ?? text).trim();
}
