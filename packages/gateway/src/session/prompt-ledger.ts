import type { ToolCall } from '../api/conversation.ts';
import type { Steps } from '../in-slices.ts';
import type { History, Prompt } from './history.ts';

/** A new entry in a request's history. */
export type HistoryEntry =
  | { readonly type: 'prompt'; readonly text: string; readonly origin?: 'user' | 'harness' }
  /** A model request that the gateway did not see. */
  | { readonly type: 'turn' }
  | { readonly type: 'call'; readonly call: ToolCall }
  | {
      readonly type: 'result';
      readonly callId: string | null;
      readonly result: unknown;
      readonly isError?: boolean;
    };

/** What is known of a request whose history is taken. */
interface Taken {
  /** Whether the previous request had the same history. */
  readonly isRepeated: boolean;
  /** Whether it starts a run of its own, whatever was asked before. */
  readonly isRun?: boolean;
  /** Whether its last results are those of the calls in the last reply, although their ids may not say so. */
  readonly goesOn?: boolean;
}

/** Distinct calls and results that are counted in a prompt; further ones in its history are ignored. */
const MAX_KNOWN = 65_536;
/** Of an item, in the units of {@link Steps}. */
const ITEM_COST = 100;

/**
 * Requests repeat the whole conversation: this counts each call and each result of the current prompt once. Earlier
 * prompts do not matter. Calls are identified by tool and arguments, not by id, since clients and backends may replace ids.
 */
export class PromptLedger {
  #users = 0;
  #prompt: string | undefined;
  #calls = new Map<string, number>();
  #results = new Map<string, number>();

  /**
   * Takes a request's history.
   *
   * @returns its new entries, in order
   */
  *take(history: History, { isRepeated, isRun = false, goesOn = false }: Taken): Steps<HistoryEntry[]> {
    const entries: HistoryEntry[] = [];
    const { last, keepsHistory } = history;
    if (last.text !== null)
      this.#takePrompt(history, last.text, { isRun, onlyNew: keepsHistory && !isRepeated }, entries);
    const seen = { calls: new Map<string, number>(), results: new Map<string, number>() };
    yield* this.#takeItems(last, seen, entries, goesOn);
    return entries;
  }

  /** Counts a call of a reply: the history of the next request contains it. */
  addCall(key: string): void {
    add(this.#calls, key);
  }

  /** Uncounts the calls of a lost reply: the history of the next request does not contain them. */
  removeCalls(keys: readonly string[]): void {
    for (const key of keys) {
      const count = (this.#calls.get(key) ?? 0) - 1;
      if (count > 0) this.#calls.set(key, count);
      else this.#calls.delete(key);
    }
  }

  *#takeItems(
    { items, calls }: Prompt,
    seen: Record<'calls' | 'results', Map<string, number>>,
    entries: HistoryEntry[],
    goesOn: boolean,
  ): Steps<void> {
    let next = 0;
    const answered = items.findLastIndex(({ role }) => role === 'assistant');
    for (const [i, item] of items.entries()) {
      yield ITEM_COST;
      if (item.role === 'assistant') {
        const shown = calls.slice(next, next + item.calls.length);
        next += item.calls.length;
        const unseen = shown.filter(({ key }) => isNewOccurrence(this.#calls, seen.calls, key));
        if (unseen.length > 0) entries.push({ type: 'turn' });
        for (const { call } of unseen) entries.push({ type: 'call', call });
      } else if (item.role === 'result') {
        const { callId, result, isError } = item;
        if (!isNewOccurrence(this.#results, seen.results, callId ?? '') && !(goesOn && i > answered))
          continue;
        entries.push({ type: 'result', callId, result, ...(isError !== undefined && { isError }) });
      }
    }
  }

  #takePrompt(
    { users, last }: History,
    text: string,
    { isRun, onlyNew }: { readonly isRun: boolean; readonly onlyNew: boolean },
    entries: HistoryEntry[],
  ): void {
    const prompt = last.hash ?? '';
    // A client may edit its last message between tool calls: only a message at the end, or one more of them, is a new
    // user request.
    const isLast = last.items.length === 0;
    const isNew =
      isRun ||
      this.#prompt === undefined ||
      users > this.#users ||
      (isLast && (onlyNew || users !== this.#users || prompt !== this.#prompt));
    this.#users = users;
    if (isLast || isNew) this.#prompt = prompt;
    if (!isNew) return;
    this.#calls = new Map();
    this.#results = new Map();
    const origin = last.isSummary ? 'harness' : isRun ? 'user' : undefined;
    entries.push({ type: 'prompt', text, ...(origin && { origin }) });
  }
}

/** Counts an occurrence in the history. @returns whether it was not counted before */
function isNewOccurrence(known: Map<string, number>, seen: Map<string, number>, key: string): boolean {
  const count = (seen.get(key) ?? 0) + 1;
  seen.set(key, count);
  return count > (known.get(key) ?? 0) && add(known, key);
}

/** @returns whether it was counted */
function add(counts: Map<string, number>, key: string): boolean {
  const count = counts.get(key);
  if (count === undefined && counts.size >= MAX_KNOWN) return false;
  counts.set(key, (count ?? 0) + 1);
  return true;
}
