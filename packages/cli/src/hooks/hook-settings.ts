import { applyEdits, type JSONPath, modify, type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import { UsageError } from '../errors.ts';
import { type HookedAgent, type HookTarget, isLoopwatchHook, serverOf } from './hooked-agents.ts';

/** Adds and removes the hook in the text of an agent's settings; all other text is unchanged, comments included. */

type Groups = readonly { readonly hooks?: readonly unknown[] }[];

/** @param text content of the file; empty when it does not exist */
export function addHook(file: string, text: string, agent: HookedAgent, target: HookTarget): string {
  let next = removeHook(file, text, agent);
  for (const event of agent.events) {
    const group = { hooks: [agent.hook(target)] };
    const { length } = groupsOf(file, next, event);
    next =
      length === 0
        ? editJson(next, ['hooks', event], [group])
        : editJson(next, ['hooks', event, length], group, true);
  }
  return `${next.trimEnd()}\n`;
}

export function removeHook(file: string, text: string, agent: HookedAgent): string {
  let next = text.trim() === '' ? '{}' : text;
  for (const event of agent.events) {
    const before = groupsOf(file, next, event);
    for (let at = before.length - 1; at >= 0; at -= 1) {
      const hooks = before[at]?.hooks ?? [];
      if (!hooks.some(isLoopwatchHook)) continue;
      // The group may contain other hooks too.
      const others = hooks.filter((hook) => !isLoopwatchHook(hook));
      next =
        others.length === 0
          ? editJson(next, ['hooks', event, at], undefined)
          : editJson(next, ['hooks', event, at, 'hooks'], others);
    }
    if (before.length > 0 && groupsOf(file, next, event).length === 0)
      next = editJson(next, ['hooks', event], undefined);
  }
  const { hooks } = parseSettings(file, next);
  return hooks !== undefined && Object.keys(hooks).length === 0 ? editJson(next, ['hooks'], undefined) : next;
}

/** Where settings contain the hook. */
export interface HookInstallation {
  /** The agent's hook events that call it. */
  readonly events: readonly string[];
  readonly server: string | undefined;
}

export function findHooks(file: string, text: string, agent: HookedAgent): HookInstallation {
  const found = agent.events.flatMap((event) =>
    groupsOf(file, text, event)
      .flatMap(({ hooks = [] }) => hooks)
      .filter(isLoopwatchHook)
      .map((hook) => ({ event, server: serverOf(hook) })),
  );
  return { events: [...new Set(found.map(({ event }) => event))], server: found[0]?.server };
}

function groupsOf(file: string, text: string, event: string): Groups {
  const groups: unknown = parseSettings(file, text).hooks?.[event];
  if (groups === undefined) return [];
  if (Array.isArray(groups)) return groups as Groups;
  throw new UsageError(`${file}: hooks.${event} is not a list; fix it first`);
}

function parseSettings(file: string, text: string): { readonly hooks?: Readonly<Record<string, unknown>> } {
  const errors: ParseError[] = [];
  const settings: unknown = text.trim() === '' ? {} : parse(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined) {
    const line = text.slice(0, error.offset).split('\n').length;
    throw new UsageError(`${file}:${String(line)}: ${printParseErrorCode(error.error)}; fix the file first`);
  }
  if (typeof settings !== 'object' || settings === null || Array.isArray(settings))
    throw new UsageError(`${file}: expected a JSON object`);
  return settings;
}

function editJson(text: string, path: JSONPath, value: unknown, isArrayInsertion = false): string {
  const tabSize = /^( +)"/m.exec(text)?.[1]?.length ?? 2;
  const insertSpaces = !/^\t/m.test(text);
  const formattingOptions = { tabSize, insertSpaces, eol: '\n' };
  return applyEdits(text, modify(text, path, value, { formattingOptions, isArrayInsertion }));
}
