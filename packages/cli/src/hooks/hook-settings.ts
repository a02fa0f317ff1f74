import { applyEdits, type JSONPath, modify, type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import { UsageError } from '../errors.ts';
import { type HookedAgent, type HookTarget, isOurs, serverOf } from './hooked-agents.ts';

/** An agent's settings with and without the hook, as text: what else stands there stays as it is, comments included. */

type Groups = readonly { readonly hooks?: readonly unknown[] }[];

/** @param text the file as it is; empty where there is none */
export function withHook(file: string, text: string, agent: HookedAgent, target: HookTarget): string {
  let next = withoutHook(file, text, agent);
  for (const event of agent.events) {
    const group = { hooks: [agent.hook(target)] };
    const { length } = groupsOf(file, next, event);
    next =
      length === 0
        ? edited(next, ['hooks', event], [group])
        : edited(next, ['hooks', event, length], group, true);
  }
  return `${next.trimEnd()}\n`;
}

export function withoutHook(file: string, text: string, agent: HookedAgent): string {
  let next = text.trim() === '' ? '{}' : text;
  for (const event of agent.events) {
    const before = groupsOf(file, next, event);
    for (let at = before.length - 1; at >= 0; at -= 1) {
      const hooks = before[at]?.hooks ?? [];
      if (!hooks.some(isOurs)) continue;
      // Hooks of others may stand in the same group.
      const others = hooks.filter((hook) => !isOurs(hook));
      next =
        others.length === 0
          ? edited(next, ['hooks', event, at], undefined)
          : edited(next, ['hooks', event, at, 'hooks'], others);
    }
    if (before.length > 0 && groupsOf(file, next, event).length === 0)
      next = edited(next, ['hooks', event], undefined);
  }
  const { hooks } = settingsIn(file, next);
  return hooks !== undefined && Object.keys(hooks).length === 0 ? edited(next, ['hooks'], undefined) : next;
}

/** Where the hook is set up. */
export interface Installed {
  /** The agent's moments that have it. */
  readonly events: readonly string[];
  readonly server: string | undefined;
}

export function installedIn(file: string, text: string, agent: HookedAgent): Installed {
  const found = agent.events.flatMap((event) =>
    groupsOf(file, text, event)
      .flatMap(({ hooks = [] }) => hooks)
      .filter(isOurs)
      .map((hook) => ({ event, server: serverOf(hook) })),
  );
  return { events: [...new Set(found.map(({ event }) => event))], server: found[0]?.server };
}

function groupsOf(file: string, text: string, event: string): Groups {
  const groups: unknown = settingsIn(file, text).hooks?.[event];
  if (groups === undefined) return [];
  if (Array.isArray(groups)) return groups as Groups;
  throw new UsageError(`${file}: hooks.${event} is not a list; fix it first`);
}

function settingsIn(file: string, text: string): { readonly hooks?: Readonly<Record<string, unknown>> } {
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

function edited(text: string, path: JSONPath, value: unknown, isArrayInsertion = false): string {
  const tabSize = /^( +)"/m.exec(text)?.[1]?.length ?? 2;
  const insertSpaces = !/^\t/m.test(text);
  const formattingOptions = { tabSize, insertSpaces, eol: '\n' };
  return applyEdits(text, modify(text, path, value, { formattingOptions, isArrayInsertion }));
}
