import { jsonFrom, type KnownEvent } from '@loopwatch/contract';
import type { Mark } from './mark.ts';
import { type ResultForm, resultForm } from './result-form.ts';
import type { RoundOptions } from './round-options.ts';
import { canonicalArguments, fingerprint, type ToolIdentity, toolIdentity } from './tool-identity.ts';

/** Rounds that are remembered: as far as any rule looks back. */
export const REMEMBERED_ROUNDS = 64;
/** Distinct calls of one round that are kept. */
const CALLS_PER_ROUND = 32;

/** Units of a call's arguments that its result is held against. */
const SAID_UNITS = 4096;

/** A call, with its result once that is known. */
export interface PastCall {
  readonly identity: ToolIdentity;
  readonly key: string;
  readonly mark: Mark;
  /** Ids that its result may come under; none once the step is settled. */
  readonly callIds: string[];
  /** Its arguments, because its result may repeat them; nothing once the step is settled. */
  said: string;
  result: ResultForm | null;
}

/**
 * The calls of one model response: made side by side, they are one step, so identical ones among them count once. A
 * round is settled when nothing more is to be expected of it.
 */
export interface Round {
  readonly calls: PastCall[];
  readonly turn: number;
  settled: boolean;
  /** The same for the same set of calls. */
  key: string;
  /** The same for the same calls with the same results; `null` while a result is not known. */
  outcome: string | null;
  kind: 'ok' | 'error' | 'transient' | 'unknown';
}

/** The rounds of a session's prompt, and which of them the event at hand has settled. */
export class CallHistory {
  /** Settled rounds, oldest first. */
  readonly rounds: Round[] = [];
  /** The round that the last event settled, the latest one where the stream's first two were settled together. */
  settled: Round | null = null;
  /** A detector has an open incident for the latest round, so that a vaguer rule need not report it too. */
  explained = false;
  /** The vaguer rule has an incident that the latest round belongs to, so that no other need open one. */
  stagnant = false;
  private readonly options: RoundOptions;
  private open: Round | null = null;
  private turn = 0;
  private resultsSeen = false;
  private blindRounds = 0;

  constructor(options: RoundOptions) {
    this.options = options;
  }

  push(step: { readonly event: KnownEvent; mark(): Mark }): void {
    const { event } = step;
    this.settled = null;
    this.explained = false;
    switch (event.type) {
      case 'tool_call_request':
        this.call(event, step.mark());
        break;
      case 'tool_result':
        this.result(event);
        break;
      case 'turn_started':
        this.turn += 1;
        // Results may be reported with the next request; a call of that turn, or its end, ends the waiting.
        if (!this.resultsSeen) this.settle();
        break;
      case 'turn_finished':
        // Where results are never reported, there is nothing to wait for.
        if (this.resultsSeen ? this.open?.turn !== this.turn : this.blindRounds > 0) this.settle();
        break;
      case 'session_ended':
        this.settle();
        break;
      case 'prompt_started':
        this.clear();
        break;
      default:
    }
  }

  private call(event: Extract<KnownEvent, { type: 'tool_call_request' }>, mark: Mark): void {
    if (this.open !== null && this.beginsRound(this.open)) this.settle();
    this.open ??= { calls: [], turn: this.turn, settled: false, key: '', outcome: null, kind: 'unknown' };
    const { calls } = this.open;
    const canonical = canonicalArguments(this.identifying(event.name, event.args));
    const identity = toolIdentity(event.name, canonical);
    const key = fingerprint(`${identity.name}\n${identity.arguments}${identity.digest ?? ''}`);
    const same = calls.find((call) => call.key === key);
    const callIds = typeof event.callId === 'string' ? [fingerprint(event.callId)] : [];
    if (same !== undefined) same.callIds.push(...callIds.slice(0, CALLS_PER_ROUND - same.callIds.length));
    else if (calls.length < CALLS_PER_ROUND)
      calls.push({ identity, key, mark, callIds, said: canonical.slice(0, SAID_UNITS), result: null });
    // Neither turns nor results: every call is a step, which is known from the second one on.
    if (this.turn === 0 && !this.resultsSeen && this.blindRounds > 0) this.settle();
  }

  /** Whether a call after these belongs to the next step. */
  private beginsRound(open: Round): boolean {
    if (this.turn > 0) return open.turn !== this.turn;
    return !this.resultsSeen || open.calls.some(({ result }) => result !== null);
  }

  private result(event: Extract<KnownEvent, { type: 'tool_result' }>): void {
    this.resultsSeen = true;
    if (this.open === null) return;
    const { calls } = this.open;
    const id = typeof event.callId === 'string' ? fingerprint(event.callId) : undefined;
    const named = id === undefined ? undefined : calls.find(({ callIds }) => callIds.includes(id));
    // A result with another id than the call's belongs to a call that is settled already.
    const call =
      named ??
      calls.find(({ result, callIds }) => result === null && (id === undefined || callIds.length === 0));
    if (call === undefined) return;
    call.result ??= resultForm(event.result, event.isError, { name: call.identity.name, said: call.said });
    if (calls.every(({ result }) => result !== null)) this.settle();
  }

  private settle(): void {
    const round = this.open;
    if (round === null) return;
    this.open = null;
    const calls = round.calls.toSorted((a, b) => (a.key < b.key ? -1 : 1));
    const known = calls.every(({ result }) => result !== null);
    for (const call of calls) {
      call.callIds.length = 0;
      call.said = '';
    }
    round.key = fingerprint(calls.map(({ key }) => key).join('\n\n'));
    round.outcome = known
      ? fingerprint(calls.map(({ key, result }) => `${key}\n${result?.form ?? ''}`).join('\n\n'))
      : null;
    round.kind = known ? kindOf(round) : 'unknown';
    round.settled = true;
    if (!known) this.blindRounds += 1;
    this.rounds.push(round);
    if (this.rounds.length > REMEMBERED_ROUNDS) this.rounds.shift();
    this.settled = round;
  }

  /** The arguments that tell calls of this tool apart, by its contract. */
  private identifying(name: string, args: unknown): unknown {
    const contract = this.options.contracts.get(name);
    if (contract === undefined || (contract.identity === null && contract.volatile.length === 0)) return args;
    const value: unknown = typeof args === 'string' ? jsonFrom(args) : args;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return args;
    const entries = Object.entries(value).filter(
      ([field]) => (contract.identity?.includes(field) ?? true) && !contract.volatile.includes(field),
    );
    return Object.fromEntries(entries);
  }

  /** Nothing of the past counts any more. */
  clear(): void {
    this.rounds.length = 0;
    this.open = null;
    this.settled = null;
    this.stagnant = false;
  }

  snapshot(): HistorySnapshot {
    const { rounds, open, turn, resultsSeen, blindRounds, stagnant } = this;
    // Settled rounds no longer change, the open one does.
    const calls = open?.calls.map((call) => ({ ...call, callIds: [...call.callIds] })) ?? [];
    return {
      rounds: [...rounds],
      open: open && { ...open, calls },
      turn,
      resultsSeen,
      blindRounds,
      stagnant,
    };
  }

  restore(snapshot: HistorySnapshot): void {
    const copy = JSON.parse(JSON.stringify(snapshot)) as HistorySnapshot;
    this.rounds.splice(0, this.rounds.length, ...copy.rounds);
    this.open = copy.open;
    this.turn = copy.turn;
    this.resultsSeen = copy.resultsSeen;
    this.blindRounds = copy.blindRounds;
    this.stagnant = copy.stagnant;
  }
}

export interface HistorySnapshot {
  readonly rounds: readonly Round[];
  readonly open: Round | null;
  readonly turn: number;
  readonly resultsSeen: boolean;
  readonly blindRounds: number;
  readonly stagnant: boolean;
}

function kindOf({ calls }: Round): Round['kind'] {
  if (calls.every(({ result }) => result?.kind === 'transient')) return 'transient';
  return calls.every(({ result }) => result?.kind !== 'ok') ? 'error' : 'ok';
}
