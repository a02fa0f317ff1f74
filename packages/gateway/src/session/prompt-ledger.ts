import { createHash } from 'node:crypto';
import { canonicalArguments } from '@loopwatch/detectors';
import type { Conversation, Item, ToolCall } from '../api/conversation.ts';

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
const MOST_KNOWN = 4_096;

/**
 * Requests repeat the whole conversation: this counts each call and each result of the prompt at hand once. What was
 * before that prompt has no bearing on it. Calls are known by tool and arguments, not by id, since clients and backends
 * make up ids anew.
 */
export class PromptLedger {
  private users = 0;
  private prompt: string | undefined;
  private calls = new Map<string, number>();
  private results = new Map<string, number>();
  private fingerprint = '';

  /** Takes a request's history. @returns what is new, in its order */
  take(
    { items, keepsHistory }: Pick<Conversation, 'items' | 'keepsHistory'>,
    repeated: boolean,
  ): HistoryNews[] {
    const news: HistoryNews[] = [];
    const at = items.findLastIndex(({ role }) => role === 'user');
    const user = items[at];
    if (user?.role === 'user') this.takePrompt(items, at, keepsHistory && !repeated, user.text, news);
    const seen = { calls: new Map<string, number>(), results: new Map<string, number>() };
    for (const item of items.slice(at + 1)) {
      if (item.role === 'assistant') {
        const unseen = item.calls.filter((call) => occursAnew(this.calls, seen.calls, callKey(call)));
        if (unseen.length > 0) news.push({ type: 'turn' });
        for (const call of unseen) news.push({ type: 'call', call });
      } else if (item.role === 'result') {
        const { callId, result, isError } = item;
        if (!occursAnew(this.results, seen.results, callId ?? '')) continue;
        news.push({ type: 'result', callId, result, ...(isError !== undefined && { isError }) });
      }
    }
    return news;
  }

  /** Whether the history is the one of the request before: the same question is asked once more. */
  isRepeated({ items, previous }: Pick<Conversation, 'items' | 'previous'>): boolean {
    const fingerprint = hashOf(JSON.stringify([previous, items.length, items.at(-1)]));
    const repeated = fingerprint === this.fingerprint;
    this.fingerprint = fingerprint;
    return repeated;
  }

  /** Notes a call of an answer: the history of the next request has it. */
  answered(call: ToolCall): void {
    add(this.calls, callKey(call));
  }

  /** Whether the prompt at hand has calls. */
  get knowsCalls(): boolean {
    return this.calls.size > 0;
  }

  snapshot(): LedgerSnapshot {
    const { users, prompt = null, fingerprint } = this;
    return { users, prompt, fingerprint, calls: [...this.calls], results: [...this.results] };
  }

  restore({ users, prompt, fingerprint, calls, results }: LedgerSnapshot): void {
    this.users = users;
    this.prompt = prompt ?? undefined;
    this.fingerprint = fingerprint;
    this.calls = new Map(calls);
    this.results = new Map(results);
  }

  private takePrompt(
    items: readonly Item[],
    at: number,
    onlyNew: boolean,
    text: string,
    news: HistoryNews[],
  ): void {
    const users = items.reduce((sum, { role }) => sum + (role === 'user' ? 1 : 0), 0);
    const prompt = hashOf(text);
    // A client may write something else into its last message while the tools go round: only a message at the end,
    // or one more of them, is a new request of the user.
    const isLast = at === items.length - 1;
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
  readonly fingerprint: string;
  readonly calls: readonly (readonly [string, number])[];
  readonly results: readonly (readonly [string, number])[];
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

function callKey({ name, args }: ToolCall): string {
  return hashOf(`${name}\n${canonicalArguments(args)}`);
}

/** Counts an occurrence of the history. @returns whether it is more than was known */
function occursAnew(known: Map<string, number>, seen: Map<string, number>, key: string): boolean {
  const count = (seen.get(key) ?? 0) + 1;
  seen.set(key, count);
  if (count <= (known.get(key) ?? 0)) return false;
  add(known, key);
  return true;
}

function add(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
  if (counts.size <= MOST_KNOWN) return;
  for (const oldest of counts.keys()) {
    counts.delete(oldest);
    return;
  }
}
