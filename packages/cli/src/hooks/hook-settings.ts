import { isDeepStrictEqual } from 'node:util';
import {
  applyEdits,
  findNodeAtLocation,
  type JSONPath,
  modify,
  type ParseError,
  parse,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import { UsageError } from '../errors.ts';
import { installationOf } from './hook-command.ts';
import type { HookInstallation, HookTarget } from './hook-target.ts';
import { type HookedAgent, isLoopwatchHook } from './hooked-agents.ts';
import { lineEnd } from './line-end.ts';
import { readPlugin } from './plugin-client.ts';
import { addToToml, hooksInToml, removeFromToml } from './toml-settings.ts';
import { addToYaml, hooksInYaml, removeFromYaml } from './yaml-settings.ts';

/** Adds and removes the hook in the text of an agent's settings; all other text is unchanged, comments included. */

const BYTE_ORDER_MARK = '\uFEFF';

type Entries = readonly unknown[];

/** The hooks in an entry of an event: a group of them, or one. Agents ignore groups of other shapes. */
function hooksIn(entry: unknown, { layout }: HookedAgent): readonly unknown[] {
  if (layout !== 'groups') return [entry];
  const hooks = isObject(entry) ? entry['hooks'] : undefined;
  return Array.isArray(hooks) ? hooks : [];
}

/**
 * @param text content of the file; empty when it does not exist
 * @returns the same text if it has the hook already
 */
export function addHook(file: string, text: string, agent: HookedAgent, target: HookTarget): string {
  if (agent.layout === 'plugin') return agent.hook(target);
  if (agent.layout === 'toml') return addToToml(file, text, agent, target);
  if (agent.layout === 'yaml') return addToYaml(file, text, agent, target);
  const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '';
  let next = (removeHook(file, text, agent) ?? '').slice(mark.length);
  if (agent.layout === 'hooks' && !('version' in parseSettings(file, next)))
    next = editJson(next, ['version'], 1);
  for (const event of agent.events) {
    const hook = agent.hook(target);
    const group = agent.layout === 'groups' ? { hooks: [hook] } : hook;
    const { length } = entriesOf(file, next, event);
    next =
      length === 0
        ? editJson(next, ['hooks', event], [group])
        : editJson(next, ['hooks', event, length], group, true);
  }
  if (findHooks(file, next, agent).events.length < agent.events.length)
    throw new UsageError(`${file}: hooks or an event in it is there twice; fix the file first`);
  // A compact file is written in more lines than before when the hook is added again.
  if (isDeepStrictEqual(parseSettings(file, next), parseSettings(file, text))) return text;
  return mark + (text === '' ? `${next}\n` : next);
}

/** @returns null if nothing is left of the file */
export function removeHook(file: string, text: string, agent: HookedAgent): string | null {
  if (agent.layout === 'plugin') return null;
  if (agent.layout === 'toml') return removeFromToml(text);
  if (agent.layout === 'yaml') return removeFromYaml(file, text, agent);
  const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '';
  let next = text.trim() === '' ? '{}' : text.slice(mark.length);
  for (const event of agent.events) {
    const entries = entriesOf(file, next, event).map((entry) => hooksIn(entry, agent));
    // A group may contain other hooks too.
    const others = entries.map((hooks) => hooks.filter((hook) => !isLoopwatchHook(hook)));
    const isOurs = entries.map((hooks, at) => hooks.length > 0 && others[at]?.length === 0);
    if (entries.length > 0 && isOurs.every(Boolean)) {
      next = removeNode(next, ['hooks', event]);
      continue;
    }
    for (let at = entries.length - 1; at >= 0; at -= 1) {
      if (isOurs[at] === true) next = removeNode(next, ['hooks', event, at]);
      else if (others[at]?.length !== entries[at]?.length)
        next = editJson(next, ['hooks', event, at, 'hooks'], others[at]);
    }
  }
  const { hooks } = parseSettings(file, next);
  const isEmpty = hooks !== undefined && Object.keys(hooks).length === 0 && next !== text.slice(mark.length);
  return mark + (isEmpty ? removeNode(next, ['hooks']) : next);
}

export function findHooks(file: string, text: string, agent: HookedAgent): HookInstallation {
  if (agent.layout === 'plugin') return readPlugin(text);
  if (agent.layout === 'toml') return installationOf(hooksInToml(text));
  if (agent.layout === 'yaml') return installationOf(hooksInYaml(file, text, agent));
  const found = agent.events.flatMap((event) =>
    entriesOf(file, text, event)
      .flatMap((entry) => hooksIn(entry, agent))
      .filter(isLoopwatchHook)
      .map((hook) => ({ event, hook })),
  );
  return installationOf(found);
}

function entriesOf(file: string, text: string, event: string): Entries {
  const entries: unknown = parseSettings(file, text).hooks?.[event];
  if (entries === undefined) return [];
  if (Array.isArray(entries)) return entries;
  throw new UsageError(`${file}: hooks.${event} is not a list; fix it first`);
}

function parseSettings(
  file: string,
  text: string,
): { readonly hooks?: Readonly<Record<string, unknown>> | undefined } {
  const errors: ParseError[] = [];
  const json = text.replace(BYTE_ORDER_MARK, '');
  const settings: unknown = json.trim() === '' ? {} : parse(json, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined) {
    const line = json.slice(0, error.offset).split('\n').length;
    const fault = printParseErrorCode(error.error).replaceAll(/\B[A-Z]/g, (letter) => ` ${letter}`);
    throw new UsageError(`${file}:${String(line)}: invalid JSON, ${fault.toLowerCase()}; fix the file first`);
  }
  if (!isObject(settings)) throw new UsageError(`${file}: expected a JSON object`);
  const { hooks } = settings;
  if (hooks !== undefined && !isObject(hooks))
    throw new UsageError(`${file}: hooks is not an object; fix it first`);
  return { ...settings, hooks };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Changes one value, and no other text: jsonc-parser's own formatting rewrites the lines around it. */
function editJson(text: string, path: JSONPath, value: unknown, isArrayInsertion = false): string {
  const edits = modify(text, path, value, { isArrayInsertion });
  return applyEdits(
    text,
    edits.map((edit) => ({
      ...edit,
      content: edit.length === 0 ? indented(text, edit.content) : edit.content,
    })),
  );
}

/** Removes a property or an item, with the comma and the space before it: what its insertion added. */
function removeNode(text: string, path: JSONPath): string {
  const root = parseTree(text, [], { allowTrailingComma: true });
  const found = root && findNodeAtLocation(root, path);
  const node = found?.parent?.type === 'property' ? found.parent : found;
  const { parent } = node ?? {};
  if (node === undefined || parent === undefined) return text;
  const siblings = parent.children ?? [];
  const at = siblings.indexOf(node);
  const [previous, following] = [siblings[at - 1], siblings[at + 1]];
  const end = node.offset + node.length;
  const cut = (from: number, to: number) => text.slice(0, from) + text.slice(to);
  if (previous !== undefined) {
    const from = previous.offset + previous.length;
    return /^[\s,]*$/.test(text.slice(from, node.offset))
      ? cut(from, end)
      : applyEdits(text, modify(text, path, undefined, {}));
  }
  if (following !== undefined) return cut(node.offset, following.offset);
  return cut(parent.offset + 1, parent.offset + parent.length - 1);
}

/** A property of the settings or their hooks, or an item of a list of hooks, on lines of its own. */
function indented(text: string, content: string): string {
  const indent = /^(\t| +)"/m.exec(text)?.[1] ?? '  ';
  const eol = lineEnd(text);
  const inner = content.replace(/^,/, '');
  const isItem = inner.startsWith('{');
  const depth = isItem ? 2 : /^"(?:hooks|version)":/.test(inner) ? 0 : 1;
  const value: unknown = JSON.parse(isItem ? `[${inner}]` : `{${inner}}`);
  const lines = JSON.stringify(value, null, indent)
    .split('\n')
    .slice(1, -1)
    .map((line) => eol + indent.repeat(depth) + line)
    .join('');
  return inner === content ? lines + eol + indent.repeat(depth) : `,${lines}`;
}
