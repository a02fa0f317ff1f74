import type { ToolCall } from '../api/conversation.ts';
import type { History, Prompt } from './history.ts';

/** What of a request's history is new. */
export type HistoryNews =
  | { readonly type: 'prompt'; readonly text: string }
  /** The model was asked before, and the gateway did not see it. */
  | { readonly type: 'turn' }
  | { readonly type: 'call'; readonly call: ToolCall }
  | {
      readonly type: 'result';
      readonly callId: string | null;
      readonly result: unknown;
      readonly isError?: boolean;
    };

/** Different calls and results of one prompt that are told apart; beyond, the oldest are forgotten. */
const MAX_KNOWN = 4_096;

/**
 * Requests repeat the whole conversation: this counts each call and each result of the prompt at hand once. What was
 * before that prompt has no bearing on it. Calls are known by tool and arguments, not by id, since clients and backends
 * may replace ids.
 */
export class PromptLedger {
  private users = 0;
  private prompt: string | undefined;
  private calls = new Map<string, number>();
  private results = new Map<string, number>();

  /**
   * Takes a request's history.
   *
   * @param repeated whether it is the one of the request before
   * @returns what is new, in its order
   */
  take(history: History, repeated: boolean): HistoryNews[] {
    const news: HistoryNews[] = [];
    const { last, keepsHistory } = history;
    if (last.text !== null) this.takePrompt(history, last.text, keepsHistory && !repeated, news);
    const seen = { calls: new Map<string, number>(), results: new Map<string, number>() };
    this.takeItems(last, seen, news);
    return news;
  }

  /** Notes a call of an answer: the history of the next request has it. */
  answered(key: string): void {
    add(this.calls, key);
  }

  /** The answer with these calls was lost: the history of the next request does not have them. */
  takeBack(keys: readonly string[]): void {
    for (const key of keys) {
      const count = (this.calls.get(key) ?? 0) - 1;
      if (count > 0) this.calls.set(key, count);
      else this.calls.delete(key);
    }
  }

  /** Whether the prompt at hand has calls. */
  get knowsCalls(): boolean {
    return this.calls.size > 0;
  }

  snapshot(): LedgerSnapshot {
    const { users, prompt = null } = this;
    return { users, prompt, calls: [...this.calls], results: [...this.results] };
  }

  restore({ users, prompt, calls, results }: LedgerSnapshot): void {
    this.users = users;
    this.prompt = prompt ?? undefined;
    this.calls = new Map(calls);
    this.results = new Map(results);
  }

  private takeItems(
    { items, calls }: Prompt,
    seen: Record<'calls' | 'results', Map<string, number>>,
    news: HistoryNews[],
  ): void {
    let next = 0;
    for (const item of items) {
      if (item.role === 'assistant') {
        const shown = calls.slice(next, next + item.calls.length);
        next += item.calls.length;
        const unseen = shown.filter(({ key }) => isNewOccurrence(this.calls, seen.calls, key));
        if (unseen.length > 0) news.push({ type: 'turn' });
        for (const { call } of unseen) news.push({ type: 'call', call });
      } else if (item.role === 'result') {
        const { callId, result, isError } = item;
        if (!isNewOccurrence(this.results, seen.results, callId ?? '')) continue;
        news.push({ type: 'result', callId, result, ...(isError !== undefined && { isError }) });
      }
    }
  }

  private takePrompt({ users, last }: History, text: string, onlyNew: boolean, news: HistoryNews[]): void {
    const prompt = last.hash ?? '';
    // A client may write something else into its last message while the tools go round: only a message at the end,
    // or one more of them, is a new request of the user.
    const isLast = last.items.length === 0;
    const isNew =
      this.prompt === undefined ||
      users > this.users ||
      (isLast && (onlyNew || users !== this.users || prompt !== this.prompt));
    this.users = users;
    if (isLast || isNew) this.prompt = prompt;
    if (!isNew) return;
    this.calls = new Map();
    this.results = new Map();
    news.push({ type: 'prompt', text });
  }
}

/** What is known of the prompt at hand, as JSON. */
export interface LedgerSnapshot {
  readonly users: number;
  readonly prompt: string | null;
  readonly calls: readonly (readonly [string, number])[];
  readonly results: readonly (readonly [string, number])[];
}

/** Counts an occurrence of the history. @returns whether it is more than was known */
function isNewOccurrence(known: Map<string, number>, seen: Map<string, number>, key: string): boolean {
  const count = (seen.get(key) ?? 0) + 1;
  seen.set(key, count);
  if (count <= (known.get(key) ?? 0)) return false;
  add(known, key);
  return true;
}

function add(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
  if (counts.size <= MAX_KNOWN) return;
  for (const oldest of counts.keys()) {
    counts.delete(oldest);
    return;
  }
}
