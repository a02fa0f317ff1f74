import type { KnownEvent } from '@loopwatch/contract';
import { type CallKnowledge, contractOf } from '../agents/agent-knowledge.ts';
import { canonicalArguments } from '../lib/canonical-json.ts';
import { fingerprint } from '../lib/digest.ts';
import { type NormalizedResult, normalizeResult } from '../results/normalize-result.ts';
import { ResultFrames, type SeenLine } from '../results/result-frames.ts';
import { isDenial, wasDenied } from '../results/result-kind.ts';
import { drawsValue } from './call-effects.ts';
import { callNature } from './call-nature.ts';
import { identifyingArguments } from './identifying-arguments.ts';
import type { Mark } from './mark.ts';
import { PromptOrigin, type PromptOriginSnapshot } from './prompt-origin.ts';
import { listsInAnyOrder } from './searches.ts';
import { type CallStep, concludeStep, copyStep, type PastCall } from './step.ts';
import { identityKey, toolIdentity } from './tool-identity.ts';
import { handsOver, keepsPlan } from './tool-words.ts';

/** Remembered steps: as far as any rule looks back. */
export const REMEMBERED_ROUNDS = 64;
/** Maximum distinct calls stored per step. */
const CALLS_PER_ROUND = 32;

/** UTF-16 units of a call's arguments that its result is compared with. */
const SAID_UNITS = 4096;
/** UTF-16 units of the text before a step that tell what it is about. A text over the second bound is no remark. */
const REMARK_UNITS = 300;
const MAX_REMARK_UNITS = 2048;
const LONG_REMARK = '…'.repeat(REMARK_UNITS);

/** The steps of a session's current prompt, and the step that the current event settled. */
export class CallHistory {
  /** Settled steps, oldest first; persisted under this name. */
  readonly rounds: CallStep[] = [];
  /** The step that the last event settled; if it settled two, the later one. */
  settled: CallStep | null = null;
  /** Where the current event starts the next step. */
  started: Mark | null = null;
  /** Whether {@link settled} had been settled before and has since grown by another call of its turn. */
  regrown = false;
  /** The latest step belongs to an open stagnation incident, so no other detector needs to open one. */
  stagnant = false;
  /** Who wrote the prompt that the current event starts. */
  readonly prompts: PromptOrigin;
  readonly #knowledge: CallKnowledge;
  #open: CallStep | null = null;
  #turn = 0;
  /** Whether the current turn is over, so that no more of its calls can follow. */
  #turnOver = false;
  /** Whether the producer reports a turn's end after the results of its calls. */
  #endsWithResults = false;
  /** Whether the turn continued with text after results of its calls: then it is more than one model response. */
  #coarse = false;
  #resultsSeen = false;
  #blindRounds = 0;
  /** Whether the latest step only kept the agent's plan. */
  #planned = false;
  #agent: string | null = null;
  readonly #frames = new ResultFrames();
  /** The text since the latest call; `null` if it is too long for a remark. */
  #remark: string | null = '';

  constructor(knowledge: CallKnowledge) {
    this.#knowledge = knowledge;
    this.prompts = new PromptOrigin(knowledge.agents, (time) =>
      [...this.rounds, ...(this.#open === null ? [] : [this.#open])].some(({ calls }) =>
        calls.some(({ mark, result }) => mark.time >= time && result !== null && result.kind !== 'ok'),
      ),
    );
  }

  push(step: { readonly event: KnownEvent; readonly time: number; mark(): Mark }): void {
    const { event } = step;
    if (this.prompts.startsOver) this.clear();
    this.prompts.push(event, step.time);
    this.settled = null;
    this.started = null;
    this.regrown = false;
    if (typeof event.agent === 'string') this.#agent = event.agent;
    switch (event.type) {
      case 'tool_call_request':
        this.#call(event, step.mark());
        break;
      case 'tool_result':
        this.#result(event);
        break;
      case 'content':
      case 'thought':
        // A model response cannot continue after a result of its own calls, whatever the producer calls a turn.
        if (this.#isAnswered) this.#settle();
        if (this.#remark !== null)
          this.#remark =
            this.#remark.length + event.text.length > MAX_REMARK_UNITS ? null : this.#remark + event.text;
        this.#coarse = this.#open === null && this.rounds.at(-1)?.turn === this.#turn;
        break;
      case 'turn_started':
        // Results may be reported with the next request, so wait for a call or the end of that turn.
        if (!this.#resultsSeen || this.#isAnswered) this.#settle();
        this.#turn += 1;
        this.#turnOver = false;
        this.#coarse = false;
        break;
      case 'turn_finished':
        this.#turnOver = true;
        this.#endsWithResults ||= this.#isAnswered || this.#mayGrow;
        // If results are never reported, there is nothing to wait for.
        if (this.#isAnswered || (this.#resultsSeen ? this.#open?.turn !== this.#turn : this.#blindRounds > 0))
          this.#settle();
        break;
      case 'session_ended':
        this.#settle();
        break;
      case 'prompt_started':
        if (this.#isAnswered) this.#settle();
        break;
      default:
    }
  }

  /** Whether all results of the open step are known. */
  get #isAnswered(): boolean {
    if (this.#open === null) return false;
    // Every event asks, so no function is created for it.
    for (const { result } of this.#open.calls) if (result === null) return false;
    return true;
  }

  #call(event: Extract<KnownEvent, { type: 'tool_call_request' }>, mark: Mark): void {
    const contract = contractOf(event.name, this.#agent, this.#knowledge);
    const args = identifyingArguments(event.name, event.args, contract);
    const canonical = canonicalArguments(args);
    const identity = toolIdentity(event.name, canonical);
    const key = identityKey(identity);
    if (this.#open !== null && this.#startsNextStep(this.#open, key)) this.#settle();
    const grown = this.#open === null && this.#mayGrow ? this.rounds.pop() : undefined;
    if (grown !== undefined) this.#open = copyStep(grown);
    if (this.#open === null) this.started = mark;
    this.#open ??= {
      calls: [],
      turn: this.#turn,
      remark: '',
      settled: false,
      key: '',
      outcome: null,
      kind: 'unknown',
      explained: false,
    };
    const { calls } = this.#open;
    const same = calls.find((call) => call.key === key);
    const callIds = typeof event.callId === 'string' ? [fingerprint(event.callId)] : [];
    if (same !== undefined) same.callIds.push(...callIds.slice(0, CALLS_PER_ROUND - same.callIds.length));
    else if (calls.length < CALLS_PER_ROUND) {
      const nature = callNature(identity, args, contract);
      const said = canonical.slice(0, SAID_UNITS);
      if (calls.length === 0 && nature.navigates)
        this.#open.remark = (this.#remark ?? '').trim().slice(0, REMARK_UNITS);
      else if (calls.length === 0 && handsOver(identity.name))
        this.#open.remark = (this.#remark ?? LONG_REMARK).trim().slice(0, REMARK_UNITS);
      calls.push({ identity, key, mark, nature, callIds, said, result: null });
    }
    this.#remark = '';
    // Without turns and results, every call is a step; this is known from the second call.
    if (this.#turn === 0 && !this.#resultsSeen && this.#blindRounds > 0) this.#settle();
  }

  /** Whether a further call of this turn belongs to the step settled last, which had all its results. */
  get #mayGrow(): boolean {
    const last = this.rounds.at(-1);
    if (this.#turn === 0 || last?.turn !== this.#turn || last.outcome === null || this.#coarse) return false;
    return !isRefused(last);
  }

  /** Whether a call after those of `open` starts the next step. */
  #startsNextStep(open: CallStep, key: string): boolean {
    if (this.#turn > 0 && open.turn !== this.#turn) return true;
    if (isRefused(open)) return !this.#unasked(open).some((call) => call.key === key);
    if (this.#turn > 0) return false;
    return !this.#resultsSeen || open.calls.some(({ result }) => result !== null);
  }

  #result(event: Extract<KnownEvent, { type: 'tool_result' }>): void {
    this.#resultsSeen = true;
    if (this.#open === null) return;
    const { calls, turn } = this.#open;
    const id = typeof event.callId === 'string' ? fingerprint(event.callId) : undefined;
    const named = id === undefined ? undefined : calls.find(({ callIds }) => callIds.includes(id));
    // A result with an id that matches no open call belongs to a step that is already settled.
    const call =
      named ??
      calls.find(({ result, callIds }) => result === null && (id === undefined || callIds.length === 0));
    if (call === undefined) {
      // Or it comes before its call, as the result of the open one may have: then there is nothing to wait for.
      this.#resultsSeen = this.#isAnswered;
      return;
    }
    const { identity, said, nature, mark } = call;
    const { reads, runs, changes, edits } = nature;
    const gui = nature.gui || nature.navigates;
    const draws = () => drawsValue(call);
    const looks = runs && !changes;
    const text = {
      name: identity.name,
      said,
      at: mark.eventIndex,
      reads,
      runs,
      looks,
      edits,
      gui,
      draws,
      isUnordered: () => listsInAnyOrder(call),
      frames: this.#frames,
    };
    // A denied call would have been a repetition, so it counts as one.
    const isDenied = wasDenied(event);
    const before = isDenied ? this.#resultBefore(call) : null;
    call.result ??= before ?? normalizeResult(event.result, event.isError, text, this.#knowledge.agents);
    if (isDenied) {
      if (before === null) call.result = { ...call.result, kind: 'not_run' };
      // What others refuse and has never run is a call that was not run, unless a loop is open.
      if (before !== null || this.stagnant || isDenial(event.result)) call.refused = true;
    }
    // More calls may follow until the turn's end is reported; after refused ones, only those that they had beside them.
    const mayGoOn = isRefused(this.#open)
      ? !this.#turnOver && this.#unasked(this.#open).length > 0
      : this.#endsWithResults && turn === this.#turn && !this.#turnOver;
    if (!mayGoOn && this.#isAnswered) this.#settle();
  }

  /** The calls that ran beside these refused ones when they last ran, and have not been made again. */
  #unasked({ calls }: CallStep): PastCall[] {
    const isIn = (list: readonly PastCall[], { key }: PastCall) => list.some((call) => call.key === key);
    const last = this.rounds.findLast((past) => calls.every((call) => isIn(past.calls, call)));
    return last?.calls.filter((call) => !isIn(calls, call)) ?? [];
  }

  /** The result of the latest identical call; `null` if none was run. */
  #resultBefore({ key }: PastCall): NormalizedResult | null {
    const ran = (call: PastCall) =>
      call.key === key && call.result !== null && call.result.kind !== 'not_run';
    return this.rounds.findLast(({ calls }) => calls.some(ran))?.calls.find(ran)?.result ?? null;
  }

  /** Whether the agent still waits for results: those of some calls of its step have come, of others not. */
  get isPartlyAnswered(): boolean {
    const calls = this.#open?.calls ?? [];
    return calls.some(({ result }) => result !== null) && !this.#isAnswered;
  }

  #settle(): void {
    const step = this.#open;
    if (step === null) return;
    this.#open = null;
    if (isRefused(step)) {
      const ran = step.calls.filter(({ result }) => result?.kind !== 'not_run');
      // Calls that were refused and never ran neither continue nor end a loop.
      if (ran.length === 0) return;
      // A refusal ends the response: what was to come beside the call is not made, or not reported.
      const at = { mark: (ran[0] as PastCall).mark, refused: true } as const;
      const unasked = this.#unasked({ ...step, calls: ran }).map((call) => ({ ...call, ...at }));
      step.calls.splice(0, step.calls.length, ...ran, ...unasked);
    }
    const onlyPlans = forgetPlans(step.calls);
    const known = concludeStep(step);
    if (!known) this.#blindRounds += 1;
    const wasPlanning = this.#planned;
    this.#planned = onlyPlans && step.kind !== 'error';
    // A look at the plan between two steps neither continues nor ends a loop; several in a row may be one.
    if (this.#planned && !wasPlanning && this.rounds.length > 0) return;
    this.regrown = step.settled;
    step.settled = true;
    step.explained = false;
    this.rounds.push(step);
    if (this.rounds.length > REMEMBERED_ROUNDS) this.rounds.shift();
    this.settled = step;
  }

  /** Forgets all steps. */
  clear(): void {
    this.rounds.length = 0;
    this.#open = null;
    this.settled = null;
    this.stagnant = false;
    this.#remark = '';
    this.#planned = false;
  }

  snapshot(): HistorySnapshot {
    return {
      rounds: [...this.rounds],
      open: this.#open && copyStep(this.#open),
      turn: this.#turn,
      turnOver: this.#turnOver,
      endsWithResults: this.#endsWithResults,
      coarse: this.#coarse,
      resultsSeen: this.#resultsSeen,
      blindRounds: this.#blindRounds,
      ...(this.#planned && { planned: true }),
      agent: this.#agent,
      remark: this.#remark,
      prompts: this.prompts.snapshot(),
      stagnant: this.stagnant,
      frames: [...this.#frames.seen],
    };
  }

  restore(snapshot: HistorySnapshot): void {
    const { rounds, open } = snapshot;
    this.rounds.splice(0, this.rounds.length, ...rounds.map(copyStep));
    this.#open = open && copyStep(open);
    this.#turn = snapshot.turn;
    this.#turnOver = snapshot.turnOver;
    this.#endsWithResults = snapshot.endsWithResults;
    this.#coarse = snapshot.coarse;
    this.#resultsSeen = snapshot.resultsSeen;
    this.#blindRounds = snapshot.blindRounds;
    this.#planned = snapshot.planned ?? false;
    this.#agent = snapshot.agent;
    this.#remark = snapshot.remark;
    this.stagnant = snapshot.stagnant;
    this.prompts.restore(snapshot.prompts);
    this.#frames.seen = [...(snapshot.frames ?? [])];
  }
}

export interface HistorySnapshot {
  readonly rounds: readonly CallStep[];
  readonly open: CallStep | null;
  readonly turn: number;
  readonly turnOver: boolean;
  readonly endsWithResults: boolean;
  readonly coarse: boolean;
  readonly resultsSeen: boolean;
  readonly blindRounds: number;
  /** Absent unless the latest step only kept the agent's plan. */
  readonly planned?: boolean;
  readonly agent: string | null;
  readonly remark: string | null;
  readonly prompts: PromptOriginSnapshot;
  readonly stagnant: boolean;
  /** Absent in older snapshots. */
  readonly frames?: readonly SeenLine[];
}

/** Whether a step was refused because of a loop, and no call beside was run either. */
function isRefused({ calls }: CallStep): boolean {
  return (
    calls.some(({ refused }) => refused) &&
    calls.every(({ refused, result }) => refused === true || result?.kind === 'not_run')
  );
}

/**
 * A call that only keeps the agent's plan makes no other step of the calls beside it, so it is removed.
 *
 * @returns whether there are no other calls; then all stay
 */
function forgetPlans(calls: PastCall[]): boolean {
  const acts = calls.filter(({ identity }) => !keepsPlan(identity.name));
  if (acts.length > 0 && acts.length < calls.length) calls.splice(0, calls.length, ...acts);
  return acts.length === 0;
}
