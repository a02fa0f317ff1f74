import type { ToolCall } from '../api/conversation.ts';
import type { History, Prompt } from './history.ts';

/** How surely a request goes on from what a session saw last: the higher, the surer. */
export const agreements = { none: 0, possible: 1, likely: 2, proven: 3 } as const;
export type Agreement = (typeof agreements)[keyof typeof agreements];

/** Of an answer's text, as much as tells it from others. */
const MAX_HEAD_UNITS = 200;

/** A call of the last answer. */
interface AnsweredCall {
  readonly key: string;
  /** Null where it tells nothing: absent, or the id of an earlier call too. */
  readonly id: string | null;
  /** Whether the gateway kept it from the client. */
  readonly isBlocked: boolean;
}

/** What became of the last question. */
type Fate =
  | 'none'
  | 'asked'
  | 'answered'
  /** The answer did not reach the client whole. */
  | 'lost'
  /** The client got an answer of the gateway's. */
  | 'stopped';

const { none, possible, likely, proven } = agreements;
const NO_IDS: ReadonlySet<string> = new Set();

/**
 * What the next request of a conversation has to show: the history of the last one, and the answer that was given to it.
 * So conversations that share a name are told apart, and nothing counts that a request does not show.
 */
export class Lineage {
  private fate: Fate = 'none';
  private fingerprint = '';
  private users = 0;
  private prompt: string | null = null;
  /** The calls that the last request showed. */
  private shown = { count: 0, hash: '' };
  private answers = 0;
  /** Ids of the calls that the last request showed. Not in a snapshot: they count only while an answer comes. */
  private ids = NO_IDS;
  private calls: AnsweredCall[] = [];
  private head = '';
  /** The answer that the last request went on from, and those that were given to it. */
  private previous: string | null = null;
  private answerIds: string[] = [];

  get isLost(): boolean {
    return this.fate === 'lost';
  }

  /** Whether the request asks the last question again. */
  isRepeated({ fingerprint }: History): boolean {
    return this.fate !== 'none' && fingerprint === this.fingerprint;
  }

  /** The keys of the last answer's calls. */
  get answeredKeys(): readonly string[] {
    return this.calls.map(({ key }) => key);
  }

  /** A request of the conversation goes to the model. */
  asked(history: History): void {
    const { last } = history;
    this.fate = 'asked';
    this.fingerprint = history.fingerprint;
    this.users = history.users;
    this.prompt = last.hash;
    this.shown = { count: last.calls.length, hash: last.prefixHash(last.calls.length) };
    this.answers = last.answers;
    this.ids = new Set(last.calls.flatMap(({ call: { id } }) => (id === null ? [] : [id])));
    this.calls = [];
    this.head = '';
    this.previous = history.previous;
    this.answerIds = [];
  }

  said(text: string): void {
    if (this.head.length < MAX_HEAD_UNITS) this.head += text.slice(0, 2 * MAX_HEAD_UNITS);
  }

  called({ id }: ToolCall, key: string, isBlocked: boolean): void {
    const tells = id !== null && !this.ids.has(id) && this.calls.every((other) => other.id !== id);
    this.calls.push({ key, id: tells ? id : null, isBlocked });
  }

  answered(): void {
    if (this.fate === 'asked') this.fate = 'answered';
  }

  lost(): void {
    if (this.fate !== 'none') this.fate = 'lost';
  }

  stopped(): void {
    if (this.fate !== 'none') this.fate = 'stopped';
  }

  /** An answer that a request may go on from. */
  noteAnswer(id: string): void {
    if (!this.answerIds.includes(id)) this.answerIds.push(id);
  }

  /** Whether a request goes on from here. */
  agreement(history: History): Agreement {
    if (this.fate === 'none') return possible;
    if (history.keepsHistory) return this.agreementOfAnswer(history.previous);
    const prompt = this.promptIn(history);
    if (this.showsAnsweredId(prompt ?? history.last)) return proven;
    if (prompt === undefined) return none;
    const isCurrent = prompt === history.last;
    const { calls } = prompt;
    const { count, hash } = this.shown;
    if (calls.length < count || prompt.prefixHash(count) !== hash) {
      // Some clients send no calls of earlier prompts.
      return !isCurrent && calls.length === 0 ? this.agreementOfText(prompt) : none;
    }
    if (calls.length > count) return this.agreementOfCalls(prompt);
    const hasMore = prompt.answers > this.answers;
    if (isCurrent && this.isRepeated(history)) return this.isOpen ? possible : none;
    if (!hasMore || (isCurrent && this.calls.some(({ isBlocked }) => !isBlocked)))
      return this.isOpen ? possible : none;
    return this.agreementOfText(prompt);
  }

  snapshot(): LineageSnapshot {
    const { fate, fingerprint, users, prompt, shown, answers, calls, head, previous, answerIds } = this;
    return { fate, fingerprint, users, prompt, shown, answers, calls, head, previous, answerIds };
  }

  restore(kept: LineageSnapshot): void {
    const { fate, fingerprint, users, prompt, shown, answers, calls, head, previous, answerIds } = kept;
    // Who was about to answer is gone.
    this.fate = fate === 'asked' ? 'lost' : fate;
    this.calls = [...calls];
    this.answerIds = [...answerIds];
    Object.assign(this, { fingerprint, users, prompt, shown, answers, head, previous });
  }

  /** Whether the last question may come again: the client has no answer of the model to it. */
  private get isOpen(): boolean {
    return this.fate === 'lost' || this.fate === 'stopped';
  }

  /** Where the API keeps the history, requests name the answer that they go on from. */
  private agreementOfAnswer(previous: string | null): Agreement {
    if (previous === null) return possible;
    if (this.answerIds.includes(previous)) return proven;
    return this.isOpen && previous === this.previous ? possible : none;
  }

  /** The prompt of the history that was the last one here. */
  private promptIn({ prompts, last }: History): Prompt | undefined {
    if (this.prompt === null) return last;
    const named = prompts.filter(({ text }) => text !== null);
    const inPlace = named[this.users - 1];
    if (inPlace?.hash === this.prompt) return inPlace;
    const bySaying = named.findLast(({ hash }) => hash === this.prompt);
    if (bySaying !== undefined) return bySaying;
    // A client may change its last message while the tools go round: the calls tell then.
    return inPlace !== undefined && inPlace.calls.length > 0 ? inPlace : undefined;
  }

  /** An id that only the last answer gave proves where a request comes from, even where its history is cut off. */
  private showsAnsweredId({ calls }: Prompt): boolean {
    const given = new Map(this.calls.flatMap(({ id, key }) => (id === null ? [] : [[id, key] as const])));
    if (given.size === 0) return false;
    return calls.some(({ key, call: { id } }) => id !== null && given.get(id) === key);
  }

  /** The calls behind those that were shown have to be those of the answer; further ones were made elsewhere. */
  private agreementOfCalls({ calls }: Prompt): Agreement {
    let next = this.shown.count;
    for (const { key, isBlocked } of this.calls) {
      const call = calls[next];
      if (call === undefined) return likely;
      if (call.key === key) next += 1;
      else if (!isBlocked) return none;
    }
    return likely;
  }

  private agreementOfText({ lastAnswer }: Prompt): Agreement {
    const head = this.head.trim().slice(0, MAX_HEAD_UNITS);
    return head !== '' && lastAnswer?.text.trim().startsWith(head) === true ? likely : possible;
  }
}

/** What the next request has to show, as JSON. */
export interface LineageSnapshot {
  readonly fate: Fate;
  readonly fingerprint: string;
  readonly users: number;
  readonly prompt: string | null;
  readonly shown: { readonly count: number; readonly hash: string };
  readonly answers: number;
  readonly calls: readonly AnsweredCall[];
  readonly head: string;
  readonly previous: string | null;
  readonly answerIds: readonly string[];
}
