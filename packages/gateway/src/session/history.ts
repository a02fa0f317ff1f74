import { createHash } from 'node:crypto';
import { canonicalArguments } from '@loopwatch/detectors/internal';
import { LRUCache } from 'lru-cache';
import type { Conversation, Item, ToolCall } from '../api/conversation.ts';
import { remembered } from '../api/json.ts';
import type { Steps } from '../in-slices.ts';

/** A call in a history, with its key. */
export interface ShownCall {
  /** Hash of tool and arguments. Not the id: clients and backends may replace ids. */
  readonly key: string;
  readonly call: ToolCall;
}

type UserItem = Exclude<Item, { role: 'assistant' | 'result' }>;
/** A text that a request adds, with its hash. */
export type AddedText = { readonly text: string; readonly hash: string };

/** A user request and everything the agent has done for it. */
export class Prompt {
  /** Null if the history starts in the middle of a prompt. */
  readonly text: string | null;
  /** Of the text; null if there is none. */
  readonly hash: string | null;
  /** Everything after the user message: replies, results, and messages that the agent added to results. */
  readonly items: Item[] = [];
  #shown: readonly ShownCall[] | undefined;
  readonly #prefixes = new Map<number, string>();
  readonly #keys: CallKeys;

  constructor(user: UserItem | null, keys: CallKeys) {
    this.text = user && user.text;
    this.hash = user && hashOfUser(user);
    this.#keys = keys;
  }

  /** Whether it is an agent's summary of an earlier history. */
  get isSummary(): boolean {
    return CONTINUATION.test((this.text ?? '').slice(0, CONTINUATION_UNITS));
  }

  get calls(): readonly ShownCall[] {
    this.#shown ??= this.items.flatMap((item) =>
      item.role === 'assistant' ? item.calls.map((call) => this.#keys.shown(call)) : [],
    );
    return this.#shown;
  }

  /** Hash of the first calls, in their order. */
  prefixHash(count: number): string {
    let hash = this.#prefixes.get(count);
    if (hash === undefined) {
      const keys = this.calls.slice(0, count).map(({ key }) => key);
      hash = hashOf(keys.join());
      this.#prefixes.set(count, hash);
    }
    return hash;
  }

  /** Number of model replies. */
  get replies(): number {
    return this.items.reduce((sum, { role }) => sum + (role === 'assistant' ? 1 : 0), 0);
  }

  get lastReply(): Extract<Item, { role: 'assistant' }> | undefined {
    return this.items.findLast((item) => item.role === 'assistant');
  }
}

const NONE: ReadonlySet<string> = new Set();

/** A request's history, parsed into prompts. */
export class History {
  /** In order; may be empty, {@link last} always exists. */
  readonly prompts: readonly Prompt[];
  readonly last: Prompt;
  readonly previous: string | null;
  readonly keepsHistory: boolean;
  /** Identifies this request among those of one conversation. */
  readonly fingerprint: string;
  readonly #conversation: Pick<Conversation, 'items' | 'previous' | 'keepsHistory'>;
  /** Without the texts beside results, which come and go. */
  readonly #core: Pick<Conversation, 'items' | 'previous'>;
  readonly #keys: CallKeys;

  /** @param started hashes of the texts that start a prompt although they follow results */
  constructor(
    conversation: Pick<Conversation, 'items' | 'previous' | 'keepsHistory'>,
    keys = new CallKeys(),
    started: ReadonlySet<string> = NONE,
  ) {
    const { items, previous, keepsHistory } = conversation;
    const core = items.filter(({ role }) => role !== 'note');
    this.#conversation = conversation;
    this.#core = { items: core, previous };
    this.#keys = keys;
    this.previous = previous;
    this.keepsHistory = keepsHistory;
    this.fingerprint = fingerprintOf(this.#core, core.length);
    this.prompts = promptsOf(items, keys, started);
    this.last = this.prompts.at(-1) ?? new Prompt(null, keys);
  }

  /** Whether it has neither replies nor results. */
  get isFresh(): boolean {
    return this.prompts.every(({ items }) => items.every(({ role }) => role === 'user'));
  }

  /** Whether it shows no calls, as from a client that drops them. */
  get lacksCalls(): boolean {
    return this.prompts.every(({ calls }) => calls.length === 0);
  }

  /** Whether it begins with an agent's summary of what it has left out. */
  get isContinuation(): boolean {
    return this.prompts[0]?.isSummary === true;
  }

  /** Hashes of the texts beside the last results. */
  get notes(): ReadonlySet<string> {
    return new Set(this.#notes.map(({ hash }) => hash));
  }

  get #notes(): AddedText[] {
    const { items } = this.#conversation;
    const added = items.slice(items.findLastIndex(({ role }) => role !== 'note') + 1);
    return added.flatMap((item) =>
      item.role === 'note' ? [{ text: item.text, hash: hashOfUser(item) }] : [],
    );
  }

  /** What the request adds to an earlier one, if that is a user message or texts beside its results. @param notes of the earlier one */
  addedTo(fingerprint: string, notes: ReadonlySet<string>): readonly AddedText[] {
    if (this.fingerprint === fingerprint) return this.#notes.filter(({ hash }) => !notes.has(hash));
    const { items } = this.#core;
    const added = items.at(-1);
    if (added?.role !== 'user' || fingerprintOf(this.#core, items.length - 1) !== fingerprint) return [];
    return [{ text: added.text, hash: hashOfUser(added) }];
  }

  /** The same history, in which these texts start a prompt although they follow results. */
  startedBy(started: ReadonlySet<string>): History {
    return started.size === 0 ? this : new History(this.#conversation, this.#keys, started);
  }

  /** Number of user requests. */
  get users(): number {
    return this.prompts.reduce((sum, { text }) => sum + (text === null ? 0 : 1), 0);
  }
}

/** How Claude Code, Codex, Gemini CLI, LangChain and Deep Agents begin a history that they have summarized; reminders may precede it. */
const CONTINUATION =
  /This session is being continued from a previous conversation|Another language model started to solve this problem and produced a summary|^\s*<state_snapshot>|Here is a summary of the conversation to date|You are in the middle of a conversation that has been summarized/;
const CONTINUATION_UNITS = 16_384;

/** A longer text is compared as it is. */
const MAX_COUNTED_UNITS = 16_384;
/** The number of a step, and the present time, which a client without a history writes into its message. */
const COUNT =
  /(?<=\b(?:step|turn|iteration|round|attempt|try)\W{1,3})\d+\b|(?<=\b(?:at|now|is|time|date)\b\W{1,3})(?:\d{4}-\d\d-\d\d[T ])?\d\d?:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?/gi;

/** A user message as a client sends it again: without what counts its requests. */
export function withoutCount(text: string): string {
  return text.length > MAX_COUNTED_UNITS ? text : text.replace(COUNT, '#');
}

/** Bounds of the cache of {@link CallKeys}. */
const MAX_KEYS = 8_192;
const MAX_KEY_UNITS = 1_000;
/** Of computing a key, in the units of {@link Steps}. */
const KEY_COST = 1_000;

/** Caches keys of calls: each request repeats its history. */
export class CallKeys {
  readonly #keys = new LRUCache<string, string>({ max: MAX_KEYS });
  readonly #byCall = new WeakMap<ToolCall, ShownCall>();

  shown(call: ToolCall): ShownCall {
    let shown = this.#byCall.get(call);
    if (shown === undefined) {
      shown = { key: this.#byText(call), call };
      this.#byCall.set(call, shown);
    }
    return shown;
  }

  /** Computes the keys of the calls in a history. */
  *prepare(items: readonly Item[]): Steps<void> {
    for (const item of items) {
      if (item.role !== 'assistant') continue;
      for (const call of item.calls) {
        if (this.#byCall.has(call)) continue;
        this.shown(call);
        yield KEY_COST;
      }
    }
  }

  /** A call that a request repeats in another form. */
  #byText(call: ToolCall): string {
    const { name, args } = call;
    const written = `${name}\n${typeof args === 'string' ? args : JSON.stringify(args)}`;
    if (written.length > MAX_KEY_UNITS) return callKey(call);
    let key = this.#keys.get(written);
    if (key === undefined) {
      key = callKey(call);
      this.#keys.set(written, key);
    }
    return key;
  }
}

const hashOfUser = remembered(({ text }: UserItem) => hashOf(withoutCount(text)));

function fingerprintOf({ items, previous }: Pick<Conversation, 'items' | 'previous'>, count: number): string {
  const last = items[count - 1];
  const shown = last?.role === 'user' ? { ...last, text: withoutCount(last.text) } : last;
  return hashOf(JSON.stringify([previous, count, shown]));
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

export function callKey({ name, args }: ToolCall): string {
  return hashOf(`${name}\n${canonicalArguments(args)}`);
}

/**
 * A user message directly after a tool result comes from the agent: environment details, a reminder. The model has not
 * answered the results yet, so the prompt continues; so does a text beside a result. Any other user message starts a prompt; of several in a row, the
 * last one is the prompt.
 */
function promptsOf(items: readonly Item[], keys: CallKeys, started: ReadonlySet<string>): Prompt[] {
  const prompts: Prompt[] = [];
  let before: Item['role'] | undefined;
  let isNote = false;
  for (const item of items) {
    if (item.role === 'system') continue;
    const isText = item.role === 'user' || item.role === 'note';
    if (isText) {
      isNote = item.role === 'note' || before === 'result' || (before === 'user' && isNote);
      if (started.size > 0 && started.has(hashOfUser(item))) isNote = false;
      if (isNote && item.role === 'note') continue;
      if (!isNote) {
        if (before === 'user') prompts.pop();
        prompts.push(new Prompt(item, keys));
      }
    }
    const isPart = !isText || isNote;
    if (isPart && prompts.length === 0) prompts.push(new Prompt(null, keys));
    if (isPart) prompts.at(-1)?.items.push(item);
    before = isText ? 'user' : item.role;
  }
  return prompts;
}
