import { parse, TomlError } from 'smol-toml';
import { UsageError } from '../errors.ts';
import { type HookEntry } from './hook-command.ts';
import type { HookTarget } from './hook-target.ts';
import { isLoopwatchHook, type ListedHooks } from './hooked-agents.ts';
import { lineEnd } from './line-end.ts';

/** Hooks in TOML, each a table of the list `hooks`. All other text is unchanged. */

export function addToToml(file: string, text: string, agent: ListedHooks, target: HookTarget): string {
  const hooks = settingsIn(file, text)['hooks'];
  // A list in brackets takes no tables.
  if (hooks !== undefined && (!Array.isArray(hooks) || !text.includes(TABLE)))
    throw new UsageError(`${file}: hooks is not a list of tables, [[hooks]]; fix it first`);
  const eol = lineEnd(text);
  const tables = agent.events.map((event) =>
    [
      TABLE,
      ...Object.entries({ event, ...agent.hook(target) }).map(
        ([name, value]) => `${name} = ${JSON.stringify(value)}`,
      ),
      '',
    ].join(eol),
  );
  const rest = removeFromToml(text);
  const isComplete = rest === '' || rest.endsWith('\n');
  return [...(rest === '' ? [] : [isComplete ? rest : rest + eol]), ...tables].join(eol);
}

export function removeFromToml(text: string): string {
  return partsOf(text)
    .filter((part) => !isOurs(part))
    .join('');
}

export function hooksInToml(text: string): HookEntry[] {
  return partsOf(text)
    .filter(isOurs)
    .flatMap((table) => {
      const event = /^event ?= ?["'](\w+)/m.exec(table)?.[1];
      return event === undefined ? [] : [{ event, hook: commandIn(table) }];
    });
}

const TABLE = '[[hooks]]';

function settingsIn(file: string, text: string): Readonly<Record<string, unknown>> {
  try {
    return parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [fault = ''] = error.message.split('\n');
    throw new UsageError(`${file}:${String(error.line)}: ${fault}; fix the file first`);
  }
}

/** The lines of the text; a table of the list that has no value over several lines is one part, with the empty line before it. */
function partsOf(text: string): string[] {
  const parts: string[] = [];
  let isTable = false;
  for (const line of text.split(/(?<=\n)/)) {
    if (line.trim() === TABLE) {
      const gap = parts.at(-1)?.trim() === '' ? parts.pop() : '';
      parts.push(`${gap ?? ''}${line}`);
      isTable = true;
    } else if (isTable && /^[ \t]*\w+ ?=/.test(line)) parts.push(`${parts.pop() ?? ''}${line}`);
    else {
      parts.push(line);
      isTable = false;
    }
  }
  return parts;
}

function isOurs(part: string): boolean {
  return part.trimStart().startsWith(TABLE) && isLoopwatchHook(part);
}

/** A string of TOML with escapes is one of JSON. */
function commandIn(table: string): unknown {
  const value = /^command ?= ?(".*")/m.exec(table)?.[1] ?? '';
  try {
    return { command: JSON.parse(value) as unknown };
  } catch {
    return table;
  }
}
