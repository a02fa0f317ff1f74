import type { VerdictOutcome } from '@loopwatch/contract';
import type { CallHistory, Round } from './call-history.ts';
import type { Detector, DetectorMeta, Step } from './finding.ts';
import { answersAlike, errorOf, isKnownAnswer, isSameError } from './known-answers.ts';
import { MessageRepeat, type MessageSnapshot } from './message-repeat.ts';
import { turnsPages } from './paging.ts';
import { type Pattern, PatternIncident, type PatternSnapshot } from './pattern-incident.ts';
import { namesOf } from './round-evidence.ts';
import { mayChange, type RoundOptions } from './round-options.ts';
import { asSentence, closingReason } from './texts.ts';
import { isForWaiting, patienceWith, waits } from './waiting.ts';

export const stagnationMeta: DetectorMeta = {
  id: 'stagnation',
  title: 'No progress',
  description: 'The agent goes on calling tools, but nothing comes of it that it did not know.',
  maturity: 'stable',
};

/** Other steps that may come between two failures of one call until it counts as given up. */
const STEPS_BETWEEN = 8;

type StagnationOptions = NonNullable<RoundOptions['stagnation']>;

/**
 * Finds calls that lead nowhere without being a plain repetition: one tool failing with the same error whatever the
 * arguments; the same failing call between other calls; step after step that brings only what was known.
 */
export class Stagnation implements Detector {
  private readonly rounds: RoundOptions;
  private readonly options: StagnationOptions;
  private readonly incident = new PatternIncident('stagnation');
  /** Steps in a row that brought nothing new. */
  private stale = 0;
  /** Steps since a rule last held. */
  private quiet = 0;
  /** From the first turn on: without turns nothing tells where a message ends. */
  private messages: MessageRepeat | undefined;

  constructor(rounds: RoundOptions, options: StagnationOptions) {
    this.rounds = rounds;
    this.options = options;
  }

  push(step: Step): void {
    if (step.event.type === 'prompt_started') this.close(step, 'ended');
    this.pushMessage(step);
    const { calls } = step;
    if (!calls?.settled) return;
    // What is another detector's incident already is not counted once more for this one.
    this.stale = this.isStale(calls) && !calls.explained ? this.stale + 1 : 0;
    const pattern =
      this.sameAnswer(calls) ?? this.sameError(calls) ?? this.sameFailure(calls) ?? this.nothingNew(calls);
    this.quiet = pattern === null ? this.quiet + 1 : 0;
    if (pattern !== null) {
      if (this.incident.isOpen || !calls.explained) this.incident.holds(step, pattern);
    } else if (!this.mayComeAgain(calls.settled)) {
      this.incident.ends(step, 'recovered', 'something new came');
    }
    calls.stagnant = this.incident.isOpen && pattern !== null;
  }

  private pushMessage(step: Step): void {
    if (step.event.type === 'turn_started') this.messages ??= this.newMessages();
    this.messages?.push(step);
  }

  private newMessages(): MessageRepeat {
    return new MessageRepeat({ threshold: this.sameAnswers, mode: this.options.mode });
  }

  /** Answers that are the same leave less doubt than errors that are. */
  private get sameAnswers(): number {
    return Math.max(2, this.options.sameError - 1);
  }

  /** A failure that is open may come again after other steps, unless they changed something or it was cured. */
  private mayComeAgain(settled: Round): boolean {
    const { current } = this.incident;
    return (
      current?.evidence['rule'] === 'same-failure' &&
      this.quiet <= STEPS_BETWEEN &&
      settled.key !== current.rounds.at(-1)?.key &&
      !this.changesSomething(settled)
    );
  }

  private changesSomething({ kind, calls }: Round): boolean {
    return kind !== 'error' && calls.some(({ identity }) => mayChange(identity, this.rounds));
  }

  /** Step after step failing with the same error, whatever is called. */
  private sameError({ rounds, settled }: CallHistory): Pattern | null {
    const error = settled === null ? null : errorOf(settled);
    if (error === null) return null;
    let count = 0;
    while (count < rounds.length && isSameError(errorOf(rounds.at(-1 - count)), error)) count += 1;
    const loop = rounds.slice(-count);
    const varied = new Set(loop.map(({ key }) => key)).size > 1;
    const threshold = this.options.sameError * patienceWith(loop.slice(-1), this.rounds);
    if (count < threshold || !varied) return null;
    const tools = new Set(loop.flatMap(({ calls }) => calls.map(({ identity }) => identity.name)));
    return this.pattern(
      'same-error',
      loop,
      count,
      threshold,
      tools.size === 1
        ? `${[...tools].join('')} failed ${String(count)} times in a row with the same error, whatever its arguments`
        : `the last ${String(count)} steps, calls of ${String(tools.size)} tools, all failed with the same error`,
    );
  }

  /** The same question in ever new words, with the same answer: no other call than before, but for its wording. */
  private sameAnswer({ rounds, settled }: CallHistory): Pattern | null {
    if (settled === null || settled.kind === 'transient') return null;
    const threshold = this.sameAnswers;
    let count = 1;
    for (let next = settled; count < rounds.length; count += 1) {
      const before = rounds.at(-1 - count) as Round;
      if (!this.asksAgain(before, settled) && !this.asksAgain(before, next)) break;
      next = before;
    }
    const loop = rounds.slice(-count);
    const varied = new Set(loop.map(({ key }) => key)).size > 1;
    if (count < threshold || !varied) return null;
    return this.pattern(
      'same-answer',
      loop,
      count,
      threshold,
      `${namesOf(settled)} gave the same answer ${String(count)} times in a row ${this.variation(loop)}`,
    );
  }

  /** What the calls of the loop differ in. */
  private variation(loop: readonly Round[]): string {
    const [before, latest] = loop.slice(-2).map(({ calls }) => calls[0]?.identity);
    return before && latest && turnsPages(before, latest)
      ? 'whichever page was asked for'
      : 'to what differs only in its wording';
  }

  private asksAgain(before: Round, settled: Round): boolean {
    if (before.outcome === settled.outcome) return settled.outcome !== null;
    return answersAlike(before, settled, this.rounds, this.incident.isOpen);
  }

  /** The same call failing in the same way, with other calls in between that changed nothing. */
  private sameFailure({ rounds, settled }: CallHistory): Pattern | null {
    if (settled?.kind !== 'error') return null;
    const loop: Round[] = [];
    let first = rounds.length;
    for (let i = rounds.length - 1; i >= 0; i -= 1) {
      const round = rounds[i] as Round;
      if (this.changesSomething(round)) break;
      // Time may cure it.
      if (round.key !== settled.key && isForWaiting(round, this.rounds)) break;
      if (round.key === settled.key && round.outcome === settled.outcome) {
        loop.unshift(round);
        first = i;
      }
    }
    const { sameFailure } = this.options;
    // With nothing in between it is a plain repetition, and found as such.
    if (loop.length < sameFailure || rounds.length - first === loop.length) return null;
    return this.pattern(
      'same-failure',
      loop,
      loop.length,
      sameFailure,
      `${namesOf(settled)} was tried ${String(loop.length)} times and failed the same way each time; nothing was changed in between`,
    );
  }

  /** Step after step whose call and result were there before. */
  private nothingNew({ rounds, settled }: CallHistory): Pattern | null {
    const { nothingNew } = this.options;
    if (settled === null || this.stale < nothingNew) return null;
    if (!this.incident.isOpen && this.isLeftToOthers(rounds)) return null;
    return this.pattern(
      'nothing-new',
      rounds.slice(-Math.min(this.stale, rounds.length)),
      this.stale,
      nothingNew,
      `the last ${String(this.stale)} steps brought nothing new: every call had the result that was known`,
    );
  }

  /**
   * Whether the latest steps are one step over and over, or a cycle that has begun to come round: these have detectors
   * of their own, and patience of their own. Should it break off, this rule holds at once.
   */
  private isLeftToOthers(rounds: readonly Round[]): boolean {
    const longest = this.rounds.cycle?.maxPeriod ?? 1;
    for (let period = 1; period <= longest; period += 1) {
      const count = Math.max(2, Math.min(period, this.options.nothingNew));
      const latest = rounds.slice(-count - period);
      const repeats = latest.slice(period).every(({ outcome }, i) => outcome === latest[i]?.outcome);
      if (latest.length === count + period && repeats) return true;
    }
    return false;
  }

  /** Whether the latest step brought nothing that an earlier one had not. */
  private isStale({ rounds, settled }: CallHistory): boolean {
    if (settled === null || settled.outcome === null || settled.kind === 'transient') return false;
    if (settled.calls.some((call) => waits(call, this.rounds))) return false;
    return rounds.some(
      (round) =>
        round !== settled &&
        (round.outcome === settled.outcome || isKnownAnswer(round, settled, this.rounds)),
    );
  }

  private pattern(
    rule: string,
    rounds: readonly Round[],
    count: number,
    threshold: number,
    reason: string,
  ): Pattern {
    return {
      count,
      threshold,
      mode: this.options.mode,
      rounds,
      reason,
      guidance: [
        asSentence(reason),
        'Stop and say what you know, what you still need, and which other way could bring it; or stop here.',
      ].join('\n'),
      evidence: { rule },
    };
  }

  close(step: Step, outcome: VerdictOutcome): void {
    if (step.calls !== null) step.calls.stagnant = false;
    this.stale = 0;
    this.quiet = 0;
    this.incident.ends(step, outcome, closingReason(outcome));
    this.messages?.close(step, outcome);
  }

  snapshot(): StagnationSnapshot {
    const { stale, quiet, messages } = this;
    return {
      stale,
      quiet,
      incident: this.incident.snapshot(),
      ...(messages !== undefined && { messages: messages.snapshot() }),
    };
  }

  restore(snapshot: StagnationSnapshot): void {
    this.stale = snapshot.stale;
    this.quiet = snapshot.quiet;
    this.incident.restore(snapshot.incident);
    this.messages = undefined;
    if (snapshot.messages !== undefined) {
      this.messages = this.newMessages();
      this.messages.restore(snapshot.messages);
    }
  }
}

interface StagnationSnapshot {
  readonly stale: number;
  readonly quiet: number;
  readonly incident: PatternSnapshot;
  readonly messages?: MessageSnapshot;
}
