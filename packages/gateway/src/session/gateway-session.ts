import { MAX_NAME_UNITS } from '@loopwatch/contract';
import { changeBetween, type DetectionPlan, isStopped, type PureVerdict } from '@loopwatch/detectors';
import type { SettingsVersion } from '@loopwatch/pipeline';
import type { Item, OwnAnswer, Reply, ToolCall } from '../api/conversation.ts';
import { Latest } from '../latest.ts';
import type { Commands } from './commands.ts';
import { blockBy, type Demand, demandOf } from './demand.ts';
import { type EventBody, eventOf } from './event-body.ts';
import { callKey, type History } from './history.ts';
import type { KeptSession } from './kept-session.ts';
import { type Agreement, Lineage } from './lineage.ts';
import { PromptLedger } from './prompt-ledger.ts';
import { type Labels, SessionDetection } from './session-detection.ts';
import type { SessionObserver } from './session-observer.ts';
import type { Settings } from './session-settings.ts';
import { Transcript } from './transcript.ts';

/** Calls whose tools are known when their results come. */
const MAX_TOOLS = 256;

/** What a request's history led to, before the model is asked. */
export interface Asking {
  /** Not undefined: the model is not to be asked. */
  readonly stop: Demand | undefined;
  /** Not undefined: the model is to be told of something first. */
  readonly hint: Demand | undefined;
  /** Not undefined: the limit of tool calls is reached; what the last result says of it. */
  readonly limit: string | undefined;
}

/** One conversation: what passes through is told to detection, and what that concludes becomes a demand. */
export class GatewaySession {
  readonly id: string;
  /** The name that it shares with other conversations; its id, where it was the first of them. */
  readonly name: string;
  /** Wall clock of its last request, epoch ms. */
  usedAt = 0;
  /** Whether it was told settings of its own. */
  hasOwnSettings = false;
  /** Another gateway has it by now, or is to have it. */
  isGiven = false;
  private readonly observer: SessionObserver;
  private readonly detection: SessionDetection;
  private readonly ledger = new PromptLedger();
  private readonly lineage = new Lineage();
  /** The tools of the latest calls, by the call's id. */
  private readonly tools = new Latest<string>(MAX_TOOLS);
  private readonly transcript: Transcript | undefined;
  private contentUnits = 0;
  /** What was kept before must not be taken for what is. */
  private wasKept = false;
  /** What was last set elsewhere. */
  private givenSettings: Settings | undefined;

  /** @param stores whether messages are put together, to be stored */
  constructor(
    id: string,
    version: SettingsVersion,
    observer: SessionObserver,
    {
      origin,
      stores,
      name = id,
    }: { readonly origin: string; readonly stores: boolean; readonly name?: string | undefined },
  ) {
    this.id = id;
    this.name = name;
    this.observer = observer;
    this.detection = new SessionDetection(id, version, observer, origin);
    this.transcript = stores ? new Transcript() : undefined;
  }

  /** The settings it is watched by, its own aside. */
  get version(): SettingsVersion {
    return this.detection.version;
  }

  /** It is watched by other settings from its next event on. */
  adopt(version: SettingsVersion, now: number): void {
    if (version === this.version) return;
    this.detection.adopt(version);
    // Whether there are events at all depends on its own settings over these.
    if (this.hasOwnSettings) this.conclude({ type: 'control', set: {}, unset: [] }, now);
  }

  get plan(): DetectionPlan {
    return this.detection.plan;
  }

  /** Whether a person has stopped it, or all sessions: nothing of it goes to a model until it is resumed. */
  get isStopped(): boolean {
    return isStopped(this.version.settings, this.givenSettings);
  }

  get idleMs(): number {
    return this.plan.idleMs;
  }

  /** Does what the user's commands say. @returns why some were refused */
  obey({ changes }: Commands, labels: Labels, now: number): string[] {
    this.detection.labels = labels;
    const refusals: string[] = [];
    for (const change of changes) {
      const refused =
        'refused' in change
          ? change.refused
          : this.push({ type: 'control', set: { ...change.set }, unset: [...change.unset] }, now).refused;
      if (refused !== undefined) {
        refusals.push(refused);
        continue;
      }
      this.hasOwnSettings = true;
      this.observer.settingsChanged(this.id, this.detection.ownSettings);
    }
    return refusals;
  }

  /** Makes its own settings those that were set elsewhere. @returns why they were refused */
  setOwn(set: Settings, now: number): string | undefined {
    if (set === this.givenSettings) return undefined;
    this.givenSettings = set;
    const change = changeBetween(this.detection.ownSettings, set);
    if (change === undefined) return undefined;
    const refused = this.conclude({ type: 'control', ...change }, now);
    this.hasOwnSettings = true;
    return refused;
  }

  /** Takes settings whose event is not this session's to tell. @returns why they were refused */
  private conclude(body: EventBody, now: number): string | undefined {
    const { verdicts, refused } = this.detection.take(body, now);
    if (verdicts.length > 0) this.observer.concluded(this.id, verdicts);
    return refused;
  }

  /** What the user said to the gateway alone. */
  noteUser(text: string): void {
    this.transcript?.noteUser(text);
  }

  /** What the gateway answered in the model's place. */
  noteOwn(answer: OwnAnswer): void {
    // Commands are answered without a question to the model.
    if (answer.details !== undefined) this.lineage.stopped();
    this.transcript?.noteOwn(answer);
  }

  /** An answer that a request may go on from. */
  noteAnswer(id: string): void {
    this.lineage.noteAnswer(id);
  }

  /** Whether a request goes on from this conversation. */
  agreement(history: History): Agreement {
    return this.lineage.agreement(history);
  }

  /** Messages since the last time, to be stored. */
  takeMessages(): ReturnType<Transcript['take']> {
    return this.transcript?.take() ?? [];
  }

  /** Takes a request that is about to go to the model. @param now epoch ms */
  ask(history: History, items: readonly Item[], labels: Labels, now: number): Asking {
    const { detection, ledger, lineage, tools, transcript } = this;
    detection.labels = labels;
    const repeated = lineage.isRepeated(history);
    if (lineage.isLost && repeated) {
      // What the client never got whole was taken back by asking again.
      this.push({ type: 'retry' }, now);
      ledger.takeBack(lineage.answeredKeys);
    }
    lineage.asked(history);
    transcript?.noteSystem(items);
    let stop: Demand | undefined;
    let hint: Demand | undefined;
    const answered = new Set<string>();
    const before = detection.limit;
    for (const news of ledger.take(history, repeated)) {
      if (news.type === 'prompt') detection.limit = undefined;
      const { verdicts } = this.push(eventOf(news), now);
      const demand = demandOf(verdicts, this.plan);
      if (news.type === 'call') this.noteTool(news.call);
      if (news.type === 'result') answered.add(tools.get(news.callId ?? '') ?? '');
      if (demand?.action === 'chance') hint = demand;
      if (demand?.action === 'block' && news.type === 'result') stop = demand;
    }
    const open = detection.loops.stagnating(answered);
    stop ??= open && blockBy(open, this.plan);
    stop ??= this.beginTurn(now);
    const { limit, loops } = detection;
    if (limit !== undefined && limit !== before) transcript?.noteLimit(limit);
    const stands = hint !== undefined && loops.isOpen(hint.verdict.incidentId);
    return { stop, hint: stands ? hint : undefined, limit };
  }

  /** The model is asked once more, after a chance. @returns why it must not be */
  askAgain(call: ToolCall, guidance: string, now: number): Demand | undefined {
    this.push({ type: 'tool_result', callId: call.id, result: guidance, isError: true }, now);
    return this.beginTurn(now);
  }

  /** A piece of the answer, or of the reasoning. */
  said(type: 'content' | 'thought', text: string, now: number): Demand | undefined {
    if (text === '') return undefined;
    const { verdicts } = this.push({ type, text }, now);
    if (type === 'content') {
      this.contentUnits += text.length;
      this.lineage.said(text);
    }
    // A text is stopped, but no model can be given a chance in the middle of it.
    const demand = demandOf(verdicts, this.plan);
    return demand?.action === 'block' ? demand : undefined;
  }

  /** Units of the answer's text before the session's next piece. */
  get saidUnits(): number {
    return this.contentUnits;
  }

  /** A call that the model asks for, before it is forwarded. */
  called(call: ToolCall, now: number): Demand | undefined {
    const key = callKey(call);
    this.ledger.answered(key);
    this.noteTool(call);
    const demand = this.judge(call, now);
    this.lineage.called(call, key, demand !== undefined);
    return demand;
  }

  private judge(call: ToolCall, now: number): Demand | undefined {
    const { id: callId, name, args } = call;
    const request = { type: 'tool_call_request', callId, name: name.slice(0, MAX_NAME_UNITS), args } as const;
    const demand = demandOf(this.push(request, now).verdicts, this.plan, name);
    if (demand !== undefined) return demand;
    const { loops, limit: reached } = this.detection;
    const open = loops.goingOn(call) ?? loops.overBudget;
    if (open !== undefined) return blockBy(open, this.plan, name);
    // The request went out without a choice of tools: whoever calls one all the same goes no further.
    const limit = reached === undefined ? undefined : loops.limit('tool-limit');
    return limit && { action: 'block', verdict: limit, text: reached ?? limit.reason };
  }

  /** The answer is complete. */
  answered({ usage, finishReason }: Pick<Reply, 'usage' | 'finishReason'>, now: number): void {
    this.push({ type: 'turn_finished', finishReason, ...(usage !== null && { usage }) }, now);
    this.lineage.answered();
  }

  /** The answer did not reach the client whole. */
  lost(): void {
    this.lineage.lost();
  }

  /** Whether anything of it could not be had again from the history of its next request. */
  get isWorthKeeping(): boolean {
    return (
      this.wasKept ||
      this.hasOwnSettings ||
      this.lineage.isLost ||
      this.detection.limit !== undefined ||
      this.ledger.knowsCalls ||
      this.detection.loops.verdicts.length > 0
    );
  }

  /** The session as it can be kept. */
  snapshot(): KeptSession {
    this.wasKept = true;
    const { contentUnits, hasOwnSettings } = this;
    return {
      v: 2,
      name: this.name,
      ...this.detection.snapshot(),
      ledger: this.ledger.snapshot(),
      lineage: this.lineage.snapshot(),
      tools: [...this.tools],
      contentUnits,
      hasOwnSettings,
      system: this.transcript?.system ?? '',
    };
  }

  /** Goes on from where a session was kept; this one has seen nothing yet. */
  restore(kept: KeptSession): void {
    this.wasKept = true;
    this.detection.restore(kept);
    this.ledger.restore(kept.ledger);
    this.lineage.restore(kept.lineage);
    for (const [id, tool] of kept.tools) this.tools.note(id, tool);
    this.contentUnits = kept.contentUnits;
    this.hasOwnSettings = kept.hasOwnSettings;
    if (this.transcript !== undefined) this.transcript.system = kept.system;
  }

  private noteTool({ id, name }: ToolCall): void {
    if (id !== null) this.tools.note(id, name);
  }

  private beginTurn(now: number): Demand | undefined {
    const { verdicts } = this.push({ type: 'turn_started' }, now);
    const over = verdicts.find(({ detector, action }) => detector === 'turn-limit' && action === 'block');
    const { loops } = this.detection;
    const open = over ?? loops.limit('turn-limit') ?? loops.overBudget;
    return open && blockBy(open, this.plan);
  }

  private push(
    body: EventBody,
    now: number,
  ): { readonly verdicts: readonly PureVerdict[]; readonly refused?: string } {
    const taken = this.detection.take(body, now);
    this.transcript?.noteEvent(taken.event);
    this.observer.seen(taken.event, taken.verdicts);
    return taken;
  }
}
