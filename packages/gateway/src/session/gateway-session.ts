import { type AgentEvent, detectionSchema } from '@loopwatch/contract';
import {
  type DetectionPlan,
  detectionOf,
  type PureVerdict,
  plainGuidance,
  SessionAnalyzer,
  stopMessage,
  type TurnRequest,
} from '@loopwatch/detectors';
import type { SettingsVersion } from '@loopwatch/pipeline';
import type { Conversation, OwnAnswer, Reply, ToolCall } from '../api/conversation.ts';
import type { Commands } from './commands.ts';
import { type EventBody, eventOf } from './event-body.ts';
import type { KeptSession } from './kept-session.ts';
import { OpenLoops } from './open-loops.ts';
import { PromptLedger } from './prompt-ledger.ts';
import { Transcript } from './transcript.ts';

const NO_IDS = new SessionAnalyzer('', detectionOf(detectionSchema.parse({}))).snapshot().ids;
/** Calls whose tools are known when their results come. */
const MOST_TOOLS = 256;

/** What detection asks for. */
export interface Demand {
  readonly action: 'block' | 'chance';
  readonly verdict: PureVerdict;
  /** What the user is told (block), or the model (chance). */
  readonly text: string;
}

/** Settings by dotted path. */
export type Settings = Readonly<Record<string, unknown>>;

/** Told of everything a session sees. */
export interface SessionObserver {
  /** An event was taken, with what was concluded at it. */
  seen(event: AgentEvent, verdicts: readonly PureVerdict[]): void;
  /** Settings that were made elsewhere led to verdicts; their event is in the log already. */
  concluded(sessionId: string, verdicts: readonly PureVerdict[]): void;
  /** The user set something for the session in the chat. */
  settingsChanged(sessionId: string, own: Settings): void;
  turnRequest(sessionId: string, request: TurnRequest): void;
  /** Detection itself failed at an event; the session starts afresh. */
  fault(sessionId: string, error: unknown): void;
}

/** Who a request is for, by the names that events carry. */
export interface Labels {
  readonly model: string | null;
  readonly backend: string;
}

/** What a request's history led to, before the model is asked. */
export interface Asking {
  /** Not undefined: the model is not to be asked. */
  readonly stop: Demand | undefined;
  /** Not undefined: the model is to be told of something first. */
  readonly hint: Demand | undefined;
  /** Not undefined: the limit of tool calls is reached; what the last result says of it. */
  readonly limit: string | undefined;
}

/** One conversation: what passes through is told to its analyzer, and what that concludes becomes a demand. */
export class GatewaySession {
  readonly id: string;
  /** Wall clock of its last request, epoch ms. */
  usedAt = 0;
  /** Whether it was told settings of its own. */
  hasOwnSettings = false;
  /** Another gateway has it by now, or is to have it. */
  isGiven = false;
  /** The settings it is watched by, its own aside. */
  version: SettingsVersion;
  private analyzer: SessionAnalyzer;
  private readonly observer: SessionObserver;
  /** Tells the sessions of different processes apart in event ids. */
  private readonly origin: string;
  private readonly ledger = new PromptLedger();
  private readonly loops = new OpenLoops();
  private readonly transcript: Transcript | undefined;
  private labels: Labels = { model: null, backend: '' };
  private events = 0;
  private contentUnits = 0;
  private limit: string | undefined;
  /** The answer before was not delivered. */
  private undelivered = false;
  /** What was kept before must not be taken for what is. */
  private wasKept = false;
  private refusals: string[] = [];
  /** What was last set elsewhere. */
  private givenSettings: Settings | undefined;
  /** The tools of the latest calls, by the call's id. */
  private readonly tools = new Map<string, string>();

  /** @param stores whether messages are put together, to be stored */
  constructor(
    id: string,
    version: SettingsVersion,
    observer: SessionObserver,
    { origin, stores }: { readonly origin: string; readonly stores: boolean },
  ) {
    this.id = id;
    this.version = version;
    this.observer = observer;
    this.origin = origin;
    this.transcript = stores ? new Transcript() : undefined;
    this.analyzer = new SessionAnalyzer(id, version.detection);
  }

  /** It is watched by other settings from its next event on. */
  adopt(version: SettingsVersion, now: number): void {
    if (version === this.version) return;
    this.version = version;
    this.analyzer.adopt(version.detection);
    // Whether there are events at all depends on its own settings over these.
    if (this.hasOwnSettings) this.conclude({ type: 'control', set: {}, unset: [] }, now);
  }

  get plan(): DetectionPlan {
    return this.analyzer.currentPlan;
  }

  get idleMs(): number {
    return this.plan.idleMs;
  }

  /** Does what the user's commands say. @returns why some were refused */
  obey({ changes }: Commands, labels: Labels, now: number): string[] {
    this.labels = labels;
    const refused: string[] = [];
    for (const change of changes) {
      if ('refused' in change) refused.push(change.refused);
      else {
        this.refusals = [];
        this.push({ type: 'control', set: { ...change.set }, unset: [...change.unset] }, now);
        if (this.refusals.length === 0) {
          this.hasOwnSettings = true;
          this.observer.settingsChanged(this.id, this.ownSettings);
        }
        refused.push(...this.refusals);
      }
    }
    return refused;
  }

  /** Makes its own settings those that were set elsewhere. @returns why they were refused */
  setOwn(set: Settings, now: number): string | undefined {
    if (set === this.givenSettings) return undefined;
    this.givenSettings = set;
    const own = this.ownSettings;
    const unset = Object.keys(own).filter((path) => !Object.hasOwn(set, path));
    const isNew = Object.entries(set).some(
      ([path, value]) => JSON.stringify(own[path]) !== JSON.stringify(value),
    );
    if (unset.length === 0 && !isNew) return undefined;
    this.refusals = [];
    this.conclude({ type: 'control', set: { ...set }, unset }, now);
    this.hasOwnSettings = true;
    return this.refusals[0];
  }

  /** Takes settings whose event is not this session's to tell. */
  private conclude(body: EventBody, now: number): void {
    const { verdicts } = this.analyze(body, now);
    if (verdicts.length > 0) this.observer.concluded(this.id, verdicts);
  }

  private get ownSettings(): Settings {
    return this.analyzer.snapshot().overrides;
  }

  /** What the user said to the gateway alone. */
  noteUser(text: string): void {
    this.transcript?.noteUser(text);
  }

  /** What the gateway answered in the model's place. */
  noteOwn(answer: OwnAnswer): void {
    this.transcript?.noteOwn(answer);
  }

  /** Messages since the last time, to be stored. */
  takeMessages(): ReturnType<Transcript['take']> {
    return this.transcript?.take() ?? [];
  }

  /** Takes a request that is about to go to the model. @param now epoch ms */
  ask(conversation: Conversation, labels: Labels, now: number): Asking {
    this.labels = labels;
    const repeated = this.ledger.isRepeated(conversation);
    // What the client never got whole was taken back by asking again.
    if (this.undelivered && repeated) this.push({ type: 'retry' }, now);
    this.undelivered = false;
    this.transcript?.noteSystem(conversation.items);
    let stop: Demand | undefined;
    let hint: Demand | undefined;
    const answered = new Set<string>();
    const before = this.limit;
    for (const news of this.ledger.take(conversation, repeated)) {
      if (news.type === 'prompt') this.limit = undefined;
      const verdicts = this.push(eventOf(news), now);
      const demand = this.demandOf(verdicts);
      if (news.type === 'call') this.noteTool(news.call);
      if (news.type === 'result') answered.add(this.tools.get(news.callId ?? '') ?? '');
      if (demand?.action === 'chance') hint = demand;
      if (demand?.action === 'block' && news.type === 'result') stop = demand;
    }
    const open = this.loops.stagnating(answered);
    stop ??= open && { action: 'block', verdict: open, text: stopMessage(open, this.plan) };
    stop ??= this.beginTurn(now);
    if (this.limit !== undefined && this.limit !== before) this.transcript?.noteLimit(this.limit);
    return { stop, hint: this.loops.isOpen(hint?.verdict.incidentId) ? hint : undefined, limit: this.limit };
  }

  /** The model is asked once more, after a chance. @returns why it must not be */
  askAgain(call: ToolCall, guidance: string, now: number): Demand | undefined {
    this.push({ type: 'tool_result', callId: call.id, result: guidance, isError: true }, now);
    return this.beginTurn(now);
  }

  /** A piece of the answer, or of the reasoning. */
  said(type: 'content' | 'thought', text: string, now: number): Demand | undefined {
    if (text === '') return undefined;
    const verdicts = this.push({ type, text }, now);
    if (type === 'content') this.contentUnits += text.length;
    // A text is stopped, but nobody can be given a chance in the middle of it.
    const demand = this.demandOf(verdicts);
    return demand?.action === 'block' ? demand : undefined;
  }

  /** Units of the answer's text before the session's next piece. */
  get saidUnits(): number {
    return this.contentUnits;
  }

  /** A call that the model asks for, before it is forwarded. */
  called(call: ToolCall, now: number): Demand | undefined {
    this.ledger.answered(call);
    this.noteTool(call);
    const { id: callId, name, args } = call;
    const verdicts = this.push({ type: 'tool_call_request', callId, name: name.slice(0, 1024), args }, now);
    const demand = this.demandOf(verdicts, name);
    if (demand !== undefined) return demand;
    const open = this.loops.goingOn(call);
    if (open !== undefined)
      return { action: 'block', verdict: open, text: stopMessage(open, this.plan, name) };
    // The request went out without a choice of tools: whoever calls one all the same goes no further.
    const limit = this.limit === undefined ? undefined : this.loops.limit('tool-limit');
    return limit && { action: 'block', verdict: limit, text: this.limit ?? limit.reason };
  }

  /** The answer is complete. */
  answered({ usage, finishReason }: Pick<Reply, 'usage' | 'finishReason'>, now: number): void {
    this.push({ type: 'turn_finished', finishReason, ...(usage !== null && { usage }) }, now);
  }

  /** The answer did not reach the client whole. */
  lost(): void {
    this.undelivered = true;
  }

  /** Whether anything of it could not be had again from the history of its next request. */
  get isWorthKeeping(): boolean {
    return (
      this.wasKept ||
      this.hasOwnSettings ||
      this.undelivered ||
      this.limit !== undefined ||
      this.ledger.knowsCalls ||
      this.loops.verdicts.length > 0
    );
  }

  /** The session as it can be kept. */
  snapshot(): KeptSession {
    this.wasKept = true;
    const { contentUnits, limit = null, undelivered, hasOwnSettings } = this;
    return {
      v: 1,
      // No event of a gateway comes twice, and its ids are most of what there is.
      analyzer: { ...this.analyzer.snapshot(), ids: NO_IDS },
      ledger: this.ledger.snapshot(),
      open: this.loops.verdicts,
      tools: [...this.tools],
      ...{ contentUnits, limit, undelivered, hasOwnSettings },
      system: this.transcript?.system ?? '',
    };
  }

  /** Goes on from where a session was kept; this one has seen nothing yet. */
  restore(kept: KeptSession): void {
    this.wasKept = true;
    this.analyzer.restore(kept.analyzer);
    this.ledger.restore(kept.ledger);
    this.loops.note(kept.open);
    for (const [id, tool] of kept.tools) this.tools.set(id, tool);
    this.contentUnits = kept.contentUnits;
    this.limit = kept.limit ?? undefined;
    this.undelivered = kept.undelivered;
    this.hasOwnSettings = kept.hasOwnSettings;
    if (this.transcript !== undefined) this.transcript.system = kept.system;
  }

  private beginTurn(now: number): Demand | undefined {
    const verdicts = this.push({ type: 'turn_started' }, now);
    const over = verdicts.find(({ detector, action }) => detector === 'turn-limit' && action === 'block');
    const open = over ?? this.loops.limit('turn-limit');
    return open && { action: 'block', verdict: open, text: stopMessage(open, this.plan) };
  }

  private noteTool({ id, name }: ToolCall): void {
    if (id === null) return;
    this.tools.delete(id);
    this.tools.set(id, name);
    const [oldest] = this.tools.keys();
    if (this.tools.size > MOST_TOOLS && oldest !== undefined) this.tools.delete(oldest);
  }

  /** Tells the analyzer. Detection that fails lets the request pass. */
  private push(body: EventBody, now: number): readonly PureVerdict[] {
    const { event, verdicts } = this.analyze(body, now);
    this.transcript?.noteEvent(event);
    this.observer.seen(event, verdicts);
    return verdicts;
  }

  private analyze(
    body: EventBody,
    now: number,
  ): { readonly event: AgentEvent; readonly verdicts: readonly PureVerdict[] } {
    const { type } = body;
    const short = type === 'content' || type === 'thought';
    const event = {
      v: 1,
      id: `${this.origin}-${String(this.events)}`,
      sessionId: this.id,
      time: now,
      ...body,
      ...(short ? {} : this.labels),
    } as AgentEvent;
    this.events += 1;
    let verdicts: readonly PureVerdict[] = [];
    try {
      verdicts = this.analyzer.push(event, now);
      if (this.analyzer.turnRequest !== null) this.observer.turnRequest(this.id, this.analyzer.turnRequest);
      if (this.analyzer.reception === 'refused_setting') this.refusals.push(this.analyzer.refusal);
      if (this.analyzer.abandoned.length > 0) this.loops.clear();
    } catch (error) {
      this.analyzer = new SessionAnalyzer(this.id, this.version.detection);
      this.loops.clear();
      this.observer.fault(this.id, error);
    }
    this.loops.note(verdicts);
    for (const { detector, phase, evidence } of verdicts) {
      const message = evidence['limit_message'];
      if (detector === 'tool-limit' && phase !== 'resolved' && typeof message === 'string')
        this.limit = message;
    }
    return { event, verdicts };
  }

  /** What the verdicts at one event ask for; limits are kept elsewhere, an outage asks for nothing. */
  private demandOf(verdicts: readonly PureVerdict[], tool?: string): Demand | undefined {
    let demand: Demand | undefined;
    for (const verdict of verdicts) {
      const { action, kind } = verdict;
      if (kind !== 'loop' || verdict.phase === 'resolved') continue;
      if (action === 'block')
        return { action, verdict, text: stopMessage(verdict, this.plan, tool ?? verdict.tool?.name) };
      if (action === 'chance') demand = { action, verdict, text: verdict.guidance ?? plainGuidance(verdict) };
    }
    return demand;
  }
}
