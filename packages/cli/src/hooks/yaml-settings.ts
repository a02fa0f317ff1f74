import { isDeepStrictEqual } from 'node:util';
import { type Document, isMap, isSeq, parseDocument, stringify } from 'yaml';
import { UsageError } from '../errors.ts';
import type { HookEntry } from './hook-command.ts';
import type { HookTarget } from './hook-target.ts';
import { isLoopwatchHook, type ListedHooks } from './hooked-agents.ts';
import { lineEnd } from './line-end.ts';

/** Hooks in YAML: lists by event. Where there are no others, all other text is unchanged; else all comments are kept. */

/** Commands are longer than a line. */
const format = { lineWidth: 0 };

export function addToYaml(file: string, text: string, agent: ListedHooks, target: HookTarget): string {
  const next = withHooks(file, text, agent, target);
  return isDeepStrictEqual(settingsIn(file, next).toJS(), settingsIn(file, text).toJS()) ? text : next;
}

function withHooks(file: string, text: string, agent: ListedHooks, target: HookTarget): string {
  const eol = lineEnd(text);
  const rest = removeFromYaml(file, text, agent);
  const settings = settingsIn(file, rest);
  if (!settings.has('hooks')) {
    const own = { hooks: Object.fromEntries(agent.events.map((event) => [event, [agent.hook(target)]])) };
    return `${rest}${rest === '' || rest.endsWith('\n') ? '' : eol}${withEnds(stringify(own, format), eol)}`;
  }
  if (settings.get('hooks') == null) settings.set('hooks', settings.createNode({}));
  for (const event of agent.events) {
    if (settings.getIn(['hooks', event]) == null) settings.setIn(['hooks', event], settings.createNode([]));
    settings.addIn(['hooks', event], agent.hook(target));
  }
  return withEnds(settings.toString(format), eol);
}

export function removeFromYaml(file: string, text: string, agent: ListedHooks): string {
  const settings = settingsIn(file, text);
  const own = hooksInYaml(file, text, agent);
  if (own.length === 0) return text;
  const lists = Object.entries((settings.toJS() as { hooks: Record<string, unknown[]> }).hooks);
  if (lists.every(([, entries]) => entries.every(isLoopwatchHook))) {
    const pair = isMap(settings.contents)
      ? settings.contents.items.find(({ key }) => String(key) === 'hooks')
      : undefined;
    const [from] = (pair?.key as { range?: readonly number[] }).range ?? [];
    const end = (pair?.value as { range?: readonly number[] }).range?.[2];
    return text.slice(0, from) + text.slice(end);
  }
  for (const [event, entries] of lists) {
    const others = entries.filter((entry) => !isLoopwatchHook(entry));
    if (others.length === 0) settings.deleteIn(['hooks', event]);
    else
      for (let at = entries.length - 1; at >= 0; at -= 1)
        if (isLoopwatchHook(entries[at])) settings.deleteIn(['hooks', event, at]);
  }
  return withEnds(settings.toString(format), lineEnd(text));
}

function withEnds(text: string, eol: string): string {
  return text.replaceAll(/\r?\n/g, eol);
}

export function hooksInYaml(file: string, text: string, { events }: ListedHooks): HookEntry[] {
  const settings = settingsIn(file, text);
  return events.flatMap((event) => {
    const list = settings.getIn(['hooks', event]);
    if (list == null) return [];
    if (!isSeq(list)) throw new UsageError(`${file}: hooks.${event} is not a list; fix it first`);
    const entries = list.toJS(settings) as unknown[];
    return entries.filter(isLoopwatchHook).map((hook) => ({ event, hook }));
  });
}

function settingsIn(file: string, text: string): Document {
  const settings = parseDocument(text);
  const [error] = settings.errors;
  if (error !== undefined) throw new UsageError(`${file}: ${error.message}; fix the file first`);
  const { contents } = settings;
  if (contents !== null && !isMap(contents)) throw new UsageError(`${file}: expected a mapping`);
  const hooks = settings.get('hooks');
  if (hooks != null && !isMap(hooks)) throw new UsageError(`${file}: hooks is not a mapping; fix it first`);
  return settings;
}
