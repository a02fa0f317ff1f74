import { type DetectorId, shortName } from '@loopwatch/contract';
import type { PureVerdict } from '@loopwatch/detectors';
import {
  type DetectionPlan,
  deniedResult,
  type PastUsage,
  type SettingsVersion,
} from '@loopwatch/detectors/internal';
import { boundedCall } from '../api/bounded.ts';
import type { Item, Reply, SyntheticReply, ToolCall } from '../api/conversation.ts';
import type { Steps } from '../in-slices.ts';
import type { CallMark } from './call-marks.ts';
import { unknownTimes } from './catch-up.ts';
import type { Commands } from './commands.ts';
import { blockFor, type Enforcement, enforcementOf, strongestOf } from './enforcement.ts';
import { callKey, type History } from './history.ts';
import { Lineage } from './lineage.ts';
import { LoopEnd } from './loop-end.ts';
import { type HistoryEntry, PromptLedger } from './prompt-ledger.ts';
import {
  type EventBody,
  eventBodyOf,
  type RequestLabels,
  SessionDetection,
  type SessionObserver,
} from './session-detection.ts';
import { SessionRules } from './session-rules.ts';
import { Transcript } from './transcript.ts';

/** What to do about a request before it is sent to the model. */
export interface RequestDecision {
  /** If defined, the model must not be asked. */
  readonly block: Enforcement | undefined;
  /** If defined, a note to add for the model. */
  readonly hint: Enforcement | undefined;
  /** If the limit of tool calls is reached: the message for the last result. */
  readonly limit: string | undefined;
}

/** A call of a reply that must not pass. */
export interface RefusedCall {
  readonly call: ToolCall;
  /** The calls before it that the client does not get either. */
  readonly unsent?: readonly ToolCall[];
}

/** Called with each call that the client gets. */
export type OnCall = (call: CallMark) => void;

/** Of analyzing an event, and of a unit of its text, in the units of {@link Steps}. */
const EVENT_COST = 2_000;
const UNIT_COST = 4;

function costOf(entry: HistoryEntry): number {
  const text = entry.type === 'result' ? entry.result : entry.type === 'call' ? entry.call.args : '';
  return EVENT_COST + UNIT_COST * (typeof text === 'string' ? text.length : EVENT_COST);
}

/** One conversation: reports everything that passes through to detection, and returns what has to be enforced. */
export class GatewaySession {
  readonly id: string;
  /** May be shared with other conversations; equal to the id of the first of them. */
  readonly name: string;
  /** Time of the last request, epoch ms. */
  usedAt = 0;
  /** Resolves when the current request was judged, if that takes more than one slice; another one has to wait. */
  judging: Promise<unknown> | undefined;
  /** Whether its first request came while the reply to an equal one was under way: a client that samples replies. */
  isSample = false;
  /** What it used before it was in memory. */
  past: PastUsage | undefined;
  /** How many sessions a client whose first message changes has left behind before it, each for the next one. */
  links = 0;
  /** Whether any calls were made in it. */
  hasCalls = false;
  readonly rules: SessionRules;
  /** What its next request must show. */
  readonly lineage = new Lineage();
  readonly #observer: SessionObserver;
  readonly #detection: SessionDetection;
  readonly #ledger = new PromptLedger();
  readonly #transcript: Transcript | undefined;
  readonly #onCall: OnCall | undefined;
  readonly #end: LoopEnd;
  #contentUnits = 0;
  /** Whether the last reply had several choices, of which the client takes one. */
  #hasChoices = false;
  /** How many calls of its first request another conversation has reported, with their results. */
  #reportedCalls = 0;

  /** @param storesMessages whether to assemble messages for storage */
  constructor(
    id: string,
    version: SettingsVersion,
    observer: SessionObserver,
    {
      origin,
      storesMessages,
      name = id,
      onCall,
    }: {
      readonly origin: string;
      readonly storesMessages: boolean;
      readonly name?: string | undefined;
      readonly onCall?: OnCall | undefined;
    },
  ) {
    this.id = id;
    this.name = name;
    this.#observer = observer;
    this.#onCall = onCall;
    this.#detection = new SessionDetection(id, version, observer, origin);
    this.rules = new SessionRules(this.#detection, {
      push: (body, now) => this.#push(body, now),
      report: (verdicts) => {
        this.#report(verdicts);
      },
      onChange: (own) => {
        observer.onSettingsChanged(id, own);
      },
    });
    this.#end = new LoopEnd(this.rules);
    this.#transcript = storesMessages ? new Transcript() : undefined;
  }

  get plan(): DetectionPlan {
    return this.#detection.plan;
  }

  get idleMs(): number {
    return this.plan.idleMs;
  }

  /** Executes the user's commands. @returns reasons for rejected ones */
  runCommands({ changes }: Commands, labels: RequestLabels, now: number): string[] {
    this.#detection.labels = labels;
    return changes.flatMap((command) => this.rules.run(command, now) ?? []);
  }

  /** Ids of the open incidents. */
  get openIncidents(): readonly string[] {
    return this.#detection.open.map(({ incidentId }) => incidentId);
  }

  /** If the limit of tool calls is reached: the message for the last result. */
  get #limit(): string | undefined {
    const { limit } = this.#detection;
    return limit && this.rules.demanding([limit]).length > 0 ? limit.evidence.limit_message : undefined;
  }

  /** A user message that only the gateway gets. */
  onUserMessage(text: string): void {
    this.#transcript?.addUserMessage(text);
  }

  /** The gateway answered in the model's place. */
  onSyntheticReply(reply: SyntheticReply): void {
    // Replies to commands have no details, and do not answer a model request.
    const { details } = reply;
    if (details !== undefined) this.lineage.onSyntheticReply(this.#end.isBy(details['verdict_id']));
    this.#transcript?.addSyntheticReply(reply);
  }

  /** Notes what the client is about to be told instead of a reply. */
  noteEnd(enforcement: Enforcement, now: number): void {
    this.#end.note(enforcement, this.plan, now);
  }

  /** Notes how many calls of the next request another conversation has reported: they are analyzed, but not reported again. */
  noteReported(calls: number): void {
    this.#reportedCalls = calls;
  }

  /** Messages since the last call, for storage. */
  takeMessages(): ReturnType<Transcript['take']> {
    return this.#transcript?.take() ?? [];
  }

  /** A request is about to be sent to the model. @param now epoch ms */
  *onRequest(
    whole: History,
    items: readonly Item[],
    labels: RequestLabels,
    now: number,
  ): Steps<RequestDecision> {
    const detection = this.#detection;
    const ledger = this.#ledger;
    const { lineage } = this;
    const transcript = this.#transcript;
    detection.labels = labels;
    const history = lineage.withAnswerToStop(whole, this.plan);
    const isRepeated = lineage.isRepeated(history);
    const isKnown = lineage.isKnown;
    const isRun = lineage.startsRun(history);
    const goesOn = lineage.isContinuedBy(history);
    const isStopped = lineage.isStopped(history, this.plan.stopAfterDenials);
    if (lineage.isLost && isRepeated) {
      // The client repeats the request, since the reply was lost.
      this.#push({ type: 'retry' }, now);
      ledger.removeCalls(lineage.replyKeys);
    }
    // The calls of the choices that the client has not taken were never made.
    const isChoice = this.#hasChoices && lineage.leavesCalls(history);
    if (isChoice) {
      this.#push({ type: 'retry' }, now);
      ledger.removeCalls(lineage.replyKeys);
    }
    this.#hasChoices = false;
    lineage.onRequest(history);
    transcript?.addSystem(items);
    let block: Enforcement | undefined;
    let hint: Enforcement | undefined;
    const before = this.#limit;
    let calls = 0;
    const entries = yield* ledger.take(history, { isRepeated, isRun, goesOn });
    if (this.past !== undefined)
      detection.startFrom(this.past, entries.filter(({ type }) => type === 'call').length);
    this.past = undefined;
    const times = isKnown ? [] : unknownTimes(entries, now, this.plan);
    for (const [i, entry] of entries.entries()) {
      const time = times[i] ?? now;
      if (entry.type === 'prompt') detection.limit = undefined;
      // The model has answered the results before its latest calls.
      if (entry.type === 'call') [block, hint] = [undefined, undefined];
      // A turn precedes its calls, a result follows them.
      const callsSoFar = entry.type === 'turn' ? calls + 1 : entry.type === 'call' ? ++calls : calls;
      const isReported =
        entry.type !== 'prompt' && this.#reportedCalls > 0 && callsSoFar <= this.#reportedCalls;
      const { verdicts } = isReported
        ? this.#replay(eventBodyOf(entry), now, time)
        : this.#push(eventBodyOf(entry), now, time, !isChoice || entry.type === 'result');
      const enforcement = enforcementOf(this.rules.demanding(verdicts), this.plan);
      if (enforcement?.action === 'chance') hint = enforcement;
      if (enforcement?.action === 'block' && entry.type === 'result') block = enforcement;
      yield costOf(entry);
    }
    this.#reportedCalls = 0;
    const over = this.#beginTurn(now);
    block ??= over ?? (isStopped ? this.#end.lasting(this.plan, now) : undefined);
    const limit = this.#limit;
    if (limit !== undefined && limit !== before) transcript?.addLimit(limit);
    const isHintOpen = detection.open.some(({ incidentId }) => incidentId === hint?.verdict.incidentId);
    return { block, hint: isHintOpen ? hint : undefined, limit };
  }

  /** The model is about to be asked again after a chance. @returns why it must not be */
  onRetry(refused: RefusedCall, guidance: string, now: number): Enforcement | undefined {
    this.#refuse(refused, { type: 'tool_result', result: guidance, isError: true, denied: true }, now);
    return this.#beginTurn(now);
  }

  /** A piece of the reply's text or reasoning. */
  onText(type: 'content' | 'thought', text: string, now: number): Enforcement | undefined {
    if (text === '') return undefined;
    const { verdicts } = this.#push({ type, text }, now);
    if (type === 'content') {
      this.#contentUnits += text.length;
      this.lineage.onText(text);
    }
    // No chance can be given in the middle of a text.
    const enforcement = enforcementOf(this.rules.demanding(verdicts), this.plan);
    return enforcement?.action === 'block' ? enforcement : undefined;
  }

  /** Length of all reply texts so far, in UTF-16 units. */
  get textUnits(): number {
    return this.#contentUnits;
  }

  /** The reply has several choices, whose calls follow. */
  onChoices(): void {
    this.#hasChoices = true;
  }

  /** Whether a call would be refused if the reply began with it. */
  wouldRefuse(call: ToolCall, now: number): boolean {
    return this.#detection.wouldRefuse(boundedCall(call), now, this.rules.dismissed);
  }

  /** The calls that follow are of a choice that is judged on its own: those before it are undone. */
  onOtherChoice(now: number): void {
    this.#push({ type: 'retry' }, now, now, false);
  }

  /** A call in the reply, before it is forwarded. */
  onToolCall(whole: ToolCall, now: number): Enforcement | undefined {
    const call = boundedCall(whole);
    const key = callKey(call);
    this.#ledger.addCall(key);
    const enforcement = this.#judge(call, now);
    this.lineage.onToolCall(call, key, enforcement !== undefined);
    if (enforcement === undefined) this.#onCall?.({ id: call.id, key });
    return enforcement;
  }

  #judge(call: ToolCall, now: number): Enforcement | undefined {
    const { id: callId, name, args } = call;
    const request = { type: 'tool_call_request', callId, name: shortName(name), args } as const;
    this.#push(request, now);
    const detection = this.#detection;
    const enforcement = strongestOf(this.rules.demanding(detection.continuedBy(call)), this.plan, name);
    // The request had tool choice off: a call made despite that is blocked.
    return enforcement?.verdict.detector === 'tool-limit'
      ? { ...enforcement, text: this.#limit ?? enforcement.text }
      : enforcement;
  }

  /** A call of the reply was blocked: it counts as another repetition. */
  onCallBlocked(refused: RefusedCall, { text, verdict: { incidentId } }: Enforcement, now: number): void {
    this.#refuse(refused, deniedResult({ action: 'deny', reason: text, guidance: text, incidentId }), now);
  }

  #refuse({ call, unsent = [] }: RefusedCall, denied: ReturnType<typeof deniedResult>, now: number): void {
    for (const { id: callId } of [...unsent, call]) this.#push({ ...denied, callId }, now);
  }

  /** The reply is complete. */
  onReplyEnd({ usage, finishReason }: Pick<Reply, 'usage' | 'finishReason'>, now: number): void {
    this.#push({ type: 'turn_finished', finishReason, ...(usage !== null && { usage }) }, now);
    this.lineage.onReplyEnd();
  }

  /** The reply did not reach the client completely. */
  onReplyLost(): void {
    this.lineage.onReplyLost();
  }

  /** Reports verdicts on events that are not this session's to publish. */
  #report(verdicts: readonly PureVerdict[]): void {
    if (verdicts.length > 0) this.#observer.onVerdicts(this.id, verdicts);
  }

  #beginTurn(now: number): Enforcement | undefined {
    const { verdicts } = this.#push({ type: 'turn_started' }, now);
    const over = this.rules
      .demanding(verdicts)
      .find(({ detector, action }) => detector === 'turn-limit' && action === 'block');
    const openLimit = (of: DetectorId) =>
      this.rules
        .demanding(this.#detection.open)
        .find(({ detector, action }) => detector === of && action === 'block');
    const open = over ?? openLimit('turn-limit') ?? openLimit('budget');
    return open && blockFor(open, this.plan);
  }

  /** Analyzes an event that another conversation has reported. */
  #replay(body: EventBody, now: number, time: number): { readonly verdicts: readonly PureVerdict[] } {
    const { verdicts } = this.#detection.push(body, now, time);
    this.#report(verdicts);
    return { verdicts };
  }

  #push(
    body: EventBody,
    now: number,
    time = now,
    isNews = true,
  ): { readonly verdicts: readonly PureVerdict[]; readonly refused?: string } {
    const result = this.#detection.push(body, now, time);
    this.hasCalls ||= body.type === 'tool_call_request';
    if (isNews) this.#transcript?.addEvent(result.event);
    this.#observer.onEvent(result.event, result.verdicts);
    return result;
  }
}
