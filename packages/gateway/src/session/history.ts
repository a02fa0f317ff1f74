import { createHash } from 'node:crypto';
import { canonicalArguments } from '@loopwatch/detectors';
import type { Conversation, Item, ToolCall } from '../api/conversation.ts';
import { Latest } from '../latest.ts';

/** A call of a history, with the key that it is known by. */
export interface ShownCall {
  /** Tool and arguments, not the id: clients and backends may replace ids. */
  readonly key: string;
  readonly call: ToolCall;
}

/** A request of the user, with what the agent has done for it. */
export class Prompt {
  /** Null: the history begins in the middle of a prompt. */
  readonly text: string | null;
  /** What follows the user's message: answers, results, and messages that the agent appended to results. */
  readonly items: Item[] = [];
  private hashed: string | undefined;
  private shown: readonly ShownCall[] | undefined;
  private readonly prefixes = new Map<number, string>();
  private readonly keys: CallKeys;

  constructor(text: string | null, keys: CallKeys) {
    this.text = text;
    this.keys = keys;
  }

  /** Null where the text is. */
  get hash(): string | null {
    if (this.text === null) return null;
    this.hashed ??= hashOf(this.text);
    return this.hashed;
  }

  get calls(): readonly ShownCall[] {
    this.shown ??= this.items.flatMap((item) =>
      item.role === 'assistant' ? item.calls.map((call) => ({ key: this.keys.of(call), call })) : [],
    );
    return this.shown;
  }

  /** Hash of the first calls, in their order. */
  prefixHash(count: number): string {
    let hash = this.prefixes.get(count);
    if (hash === undefined) {
      const keys = this.calls.slice(0, count).map(({ key }) => key);
      hash = hashOf(keys.join());
      this.prefixes.set(count, hash);
    }
    return hash;
  }

  /** How many answers of the model it has. */
  get answers(): number {
    return this.items.reduce((sum, { role }) => sum + (role === 'assistant' ? 1 : 0), 0);
  }

  get lastAnswer(): Extract<Item, { role: 'assistant' }> | undefined {
    return this.items.findLast((item) => item.role === 'assistant');
  }
}

/** A request's history, read once: its prompts, and what the request before is known by. */
export class History {
  /** In their order; there is one at least. */
  readonly prompts: readonly Prompt[];
  readonly last: Prompt;
  readonly previous: string | null;
  readonly keepsHistory: boolean;
  /** Tells the question at hand from others of one conversation. */
  readonly fingerprint: string;

  constructor(
    { items, previous, keepsHistory }: Pick<Conversation, 'items' | 'previous' | 'keepsHistory'>,
    keys = new CallKeys(),
  ) {
    this.previous = previous;
    this.keepsHistory = keepsHistory;
    this.fingerprint = hashOf(JSON.stringify([previous, items.length, items.at(-1)]));
    this.prompts = promptsOf(items, keys);
    this.last = this.prompts.at(-1) ?? new Prompt(null, keys);
  }

  /** Whether it shows an answer of the model or a result: without any, nothing has been done yet. */
  get isFresh(): boolean {
    return this.prompts.every(({ items }) => items.every(({ role }) => role === 'user'));
  }

  /** How many requests of the user it has. */
  get users(): number {
    return this.prompts.reduce((sum, { text }) => sum + (text === null ? 0 : 1), 0);
  }
}

/** Calls whose keys are remembered, and how long one may be. */
const MAX_KEYS = 8_192;
const MAX_KEY_UNITS = 1_000;

/** Finds the keys of calls: requests repeat their history, so most were found before. */
export class CallKeys {
  private readonly keys = new Latest<string>(MAX_KEYS);

  of(call: ToolCall): string {
    const { name, args } = call;
    const written = `${name}\n${typeof args === 'string' ? args : JSON.stringify(args)}`;
    if (written.length > MAX_KEY_UNITS) return callKey(call);
    let key = this.keys.get(written);
    if (key === undefined) {
      key = callKey(call);
      this.keys.note(written, key);
    }
    return key;
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

export function callKey({ name, args }: ToolCall): string {
  return hashOf(`${name}\n${canonicalArguments(args)}`);
}

/**
 * A message of the user that directly follows a tool's result is the agent's: environment details, a reminder. The model
 * has not answered the results yet, so the prompt goes on. Any other message of the user begins a prompt; of several in
 * a row, the last is the prompt.
 */
function promptsOf(items: readonly Item[], keys: CallKeys): Prompt[] {
  const prompts: Prompt[] = [];
  let before: Item['role'] | undefined;
  let isNote = false;
  for (const item of items) {
    if (item.role === 'system') continue;
    if (item.role === 'user') {
      isNote = before === 'result' || (before === 'user' && isNote);
      if (!isNote) {
        if (before === 'user') prompts.pop();
        prompts.push(new Prompt(item.text, keys));
      }
    }
    const isPart = item.role !== 'user' || isNote;
    if (isPart && prompts.length === 0) prompts.push(new Prompt(null, keys));
    if (isPart) prompts.at(-1)?.items.push(item);
    before = item.role;
  }
  return prompts;
}
