import type { DetectionPlan } from '@loopwatch/detectors/internal';
import type { ToolCall } from '../api/conversation.ts';
import type { History, Prompt } from './history.ts';

/** How certainly a request continues a session: higher is more certain. */
export const agreements = { none: 0, possible: 1, likely: 2, proven: 3 } as const;
export type Agreement = (typeof agreements)[keyof typeof agreements];

/** User messages behind results that start a prompt; clients seldom send more after stops. */
const MAX_STARTED = 64;
/** Length of the start of a reply that is compared. */
const MAX_HEAD_UNITS = 200;

/** A call of the last reply. */
interface AnsweredCall {
  readonly key: string;
  /** Null if it identifies nothing: missing, or also the id of an earlier call. */
  readonly id: string | null;
  /** Whether the gateway blocked it. */
  readonly isBlocked: boolean;
}

/** What happened to the last request. */
type Fate =
  | 'none'
  | 'asked'
  | 'answered'
  /** The reply did not reach the client completely. */
  | 'lost'
  /** The client got a synthetic reply. */
  | 'stopped';

const { none, possible, likely, proven } = agreements;

/**
 * What the next request of a conversation must show: the history of the last request and the reply to it. This separates
 * conversations that share a name, and nothing counts that a request does not show.
 */
export class Lineage {
  #fate: Fate = 'none';
  #fingerprint = '';
  /** Of the texts beside its last results. */
  #notes: ReadonlySet<string> = new Set();
  #users = 0;
  #prompt: string | null = null;
  /** The calls in the last request. */
  #shown = { count: 0, hash: '' };
  #answers = 0;
  /** Ids of the calls in the last request; only needed while a reply arrives. */
  #ids: readonly (string | null)[] = [];
  #calls: AnsweredCall[] = [];
  #head = '';
  /** Id of the reply that the last request continued from, and ids of the replies to it. */
  #previous: string | null = null;
  #answerIds: string[] = [];
  /** How often a loop was stopped for a prompt in the same words, without another call in between. */
  #stops = 0;
  /** Keys of the calls at these stops. */
  #stoppedKeys = new Set<string>();
  /** Hashes of user messages that followed a stop, and start a prompt although they stand behind results. */
  readonly #started = new Set<string>();

  /** Whether a request of the conversation was seen. */
  get isKnown(): boolean {
    return this.#fate !== 'none';
  }

  get isLost(): boolean {
    return this.#fate === 'lost';
  }

  /** Whether the reply to the last request is under way: another request meanwhile is none that follows it. */
  get isAsked(): boolean {
    return this.#fate === 'asked';
  }

  /** Whether the last reply leaves nothing to be done. */
  get isDone(): boolean {
    return this.#fate === 'answered' && this.#calls.length === 0;
  }

  /** Whether the last request had the same prompt. */
  hasPrompt({ last }: History): boolean {
    return last.hash === this.#prompt;
  }

  /**
   * The history of the next request, in which a user message behind a result, or a text beside one, starts a prompt if it follows
   * a stop: it is no note of the agent's, because the client has dropped the gateway's reply.
   */
  withAnswerToStop(history: History, { knowledge }: DetectionPlan): History {
    const answers = this.#fate === 'stopped' ? history.addedTo(this.#fingerprint, this.#notes) : [];
    const started = this.#started;
    for (const { text, hash } of answers)
      if (!knowledge.agents.isHarnessPrompt(text.trimStart())) started.add(hash);
    const [oldest] = started;
    if (started.size > MAX_STARTED && oldest !== undefined) started.delete(oldest);
    return history.startedBy(started);
  }

  /** Whether the request is the last one again. */
  isRepeated({ fingerprint }: History): boolean {
    return this.#fate !== 'none' && fingerprint === this.#fingerprint;
  }

  /** Whether the request goes on from the last one without the calls that its reply had. */
  dropsCalls(history: History): boolean {
    const isNext = this.#fate === 'answered' && this.#calls.length > 0 && this.#shown.count === 0;
    return isNext && history.lacksCalls && this.hasPrompt(history);
  }

  /**
   * Whether a request asks for nothing but what was stopped this often: it is the stopped request again, or its prompt in the same
   * words, as from a harness that does not accept the end.
   */
  isStopped(history: History, times: number): boolean {
    if (this.#fate !== 'stopped' || this.#stops < times || !this.hasPrompt(history)) return false;
    return this.isRepeated(history) || history.last.items.length === 0;
  }

  /**
   * Whether the request asks without its history what the model has answered by itself, without a call: a run of its own. What
   * was stopped, or was sent again after a call, is no run that ended.
   */
  startsRun({ last, users, keepsHistory }: History): boolean {
    const isAnswered =
      this.#fate === 'answered' &&
      this.#calls.every(({ isBlocked }) => isBlocked) &&
      this.#head.trim() !== '';
    return isAnswered && !keepsHistory && last.items.length === 0 && users <= this.#users;
  }

  /** Whether the last calls that the request shows are those of the last reply. */
  isContinuedBy({ last }: History): boolean {
    const made = this.#calls.filter(({ isBlocked }) => !isBlocked);
    const shown = last.calls.slice(-made.length);
    const isSame = made.length === shown.length && made.every(({ key }, i) => key === shown[i]?.key);
    return this.#fate === 'answered' && made.length > 0 && isSame;
  }

  /** Whether the request goes on from some calls of the last reply only. */
  leavesCalls({ last }: History): boolean {
    const next = new Set(last.calls.slice(this.#shown.count).map(({ key }) => key));
    const taken = this.#calls.filter(({ key }) => next.has(key)).length;
    return this.#fate === 'answered' && taken > 0 && taken < this.#calls.length;
  }

  /** The calls of the reply, if the request is the last one again although its reply, with calls, has reached the client. */
  unusedCalls(history: History): string | undefined {
    if (this.#fate !== 'answered' || this.#calls.length === 0 || !this.isRepeated(history)) return undefined;
    return this.#calls.map(({ key }) => key).join();
  }

  /** How many calls of a request's current prompt the last request of this conversation has shown, too. */
  sharedCalls(history: History): number {
    const { last } = history.startedBy(this.#started);
    const { count, hash } = this.#shown;
    if (this.#fate === 'none' || last.hash !== this.#prompt || last.calls.length < count) return 0;
    return last.prefixHash(count) === hash ? count : 0;
  }

  /** Keys of the calls in the last reply. */
  get replyKeys(): readonly string[] {
    return this.#calls.map(({ key }) => key);
  }

  /** A request of the conversation is sent to the model. */
  onRequest(history: History): void {
    const { last } = history;
    if (this.isDone || !this.hasPrompt(history)) this.#stops = 0;
    this.#fate = 'asked';
    this.#fingerprint = history.fingerprint;
    this.#notes = history.notes;
    this.#users = history.users;
    this.#prompt = last.hash;
    this.#shown = { count: last.calls.length, hash: last.prefixHash(last.calls.length) };
    this.#answers = last.replies;
    this.#ids = last.calls.map(({ call }) => call.id);
    this.#calls = [];
    this.#head = '';
    this.#previous = history.previous;
    this.#answerIds = [];
  }

  onText(text: string): void {
    if (this.#head.length < MAX_HEAD_UNITS) this.#head += text.slice(0, 2 * MAX_HEAD_UNITS);
  }

  onToolCall({ id }: ToolCall, key: string, isBlocked: boolean): void {
    const isUnique = id !== null && !this.#ids.includes(id) && this.#calls.every((other) => other.id !== id);
    this.#calls.push({ key, id: isUnique ? id : null, isBlocked });
    if (!isBlocked && !this.#stoppedKeys.has(key)) this.#stops = 0;
  }

  onReplyEnd(): void {
    if (this.#fate === 'asked') this.#fate = 'answered';
  }

  onReplyLost(): void {
    if (this.#fate !== 'none') this.#fate = 'lost';
  }

  /** @param isLoop whether a loop is the reason */
  onSyntheticReply(isLoop: boolean): void {
    if (this.#fate !== 'none') this.#fate = 'stopped';
    if (this.#stops === 0 || !isLoop) this.#stoppedKeys.clear();
    for (const { key } of this.#calls) this.#stoppedKeys.add(key);
    this.#stops = isLoop ? this.#stops + 1 : 0;
  }

  /** Notes the id of a reply that a request may continue from. */
  noteReplyId(id: string): void {
    if (!this.#answerIds.includes(id)) this.#answerIds.push(id);
  }

  /** Whether a request continues this conversation. */
  agreement(whole: History): Agreement {
    if (this.#fate === 'none') return possible;
    const history = whole.startedBy(this.#started);
    if (history.keepsHistory) return this.#agreementByReplyId(history.previous);
    const prompt = this.#promptIn(history);
    if (this.#showsReplyCallId(prompt ?? history.last)) return proven;
    if (prompt === undefined) return none;
    const isCurrent = prompt === history.last;
    const { calls } = prompt;
    const { count, hash } = this.#shown;
    if (calls.length < count || prompt.prefixHash(count) !== hash) {
      // Some clients drop the calls of earlier prompts.
      return !isCurrent && calls.length === 0 ? this.#agreementByText(prompt) : none;
    }
    if (calls.length > count) return this.#agreementByCalls(prompt);
    const hasMore = prompt.replies > this.#answers;
    if (isCurrent && this.isRepeated(history)) return this.#isOpen ? possible : none;
    if (!hasMore || (isCurrent && this.#calls.some(({ isBlocked }) => !isBlocked)))
      return this.#isOpen ? possible : none;
    return this.#agreementByText(prompt);
  }

  /** Whether the last request may be repeated: the client has no model reply to it. */
  get #isOpen(): boolean {
    return this.#fate === 'lost' || this.#fate === 'stopped';
  }

  /** If the API keeps the history, requests name the reply that they continue from. */
  #agreementByReplyId(previous: string | null): Agreement {
    if (previous === null) return possible;
    if (this.#answerIds.includes(previous)) return proven;
    return this.#isOpen && previous === this.#previous ? possible : none;
  }

  /** The prompt in the history that matches the last one seen. */
  #promptIn({ prompts, last }: History): Prompt | undefined {
    if (this.#prompt === null) return last;
    const named = prompts.filter(({ text }) => text !== null);
    const byIndex = named[this.#users - 1];
    if (byIndex?.hash === this.#prompt) return byIndex;
    const byText = named.findLast(({ hash }) => hash === this.#prompt);
    if (byText !== undefined) return byText;
    // A client may edit its last message between tool calls: compare the calls then, of which the reply must have come.
    return !this.isAsked && byIndex !== undefined && byIndex.calls.length > 0 ? byIndex : undefined;
  }

  /** An id that only the last reply contains proves the origin of a request, even if its history is truncated. */
  #showsReplyCallId({ calls }: Prompt): boolean {
    const given = new Map(this.#calls.flatMap(({ id, key }) => (id === null ? [] : [[id, key] as const])));
    if (given.size === 0) return false;
    return calls.some(({ key, call: { id } }) => id !== null && given.get(id) === key);
  }

  /** The calls after those in the last request must be those of the reply; further ones were made elsewhere. */
  #agreementByCalls({ calls }: Prompt): Agreement {
    let next = this.#shown.count;
    for (const { key, isBlocked } of this.#calls) {
      const call = calls[next];
      if (call === undefined) return likely;
      if (call.key === key) next += 1;
      else if (!isBlocked) return none;
    }
    return likely;
  }

  #agreementByText({ lastReply }: Prompt): Agreement {
    const head = this.#head.trim().slice(0, MAX_HEAD_UNITS);
    return head !== '' && lastReply?.text.trim().startsWith(head) === true ? likely : possible;
  }
}
