import type { VerdictOutcome } from '@loopwatch/contract';
import type { Mark } from '../../calls/mark.ts';
import { apartFrom, MORE_IF_ALIKE, modeOf } from '../../incident/alike-results.ts';
import type { EventStep, Finding, Pattern, PatternSnapshot, ThresholdBase } from '../../incident/finding.ts';
import { PatternIncident } from '../../incident/incident.ts';
import { asSentence, closingReason, counted, type Sentence, sentence } from '../../incident/shown-calls.ts';
import { withoutStamp } from '../../results/leading-stamp.ts';
import { SaidMessage, type SaidSnapshot } from './said-message.ts';
import { afterMessage, NO_PHRASES, type PhrasesState } from './set-phrases.ts';

/** Longer messages repeat enough text for content-repeat to find them. */
const MESSAGE_UNITS = 2048;
/** Placeholder for a longer message, whose text is not stored. */
const TOO_LONG = '.'.repeat(MESSAGE_UNITS + 1);
/** Units of the message that the evidence shows. */
const SHOWN_UNITS = 400;
/** One message repeated, or two alternating. */
const PERIODS = [1, 2] as const;
const NONE: readonly never[] = [];
/** Messages of one agent in known phrases, as a multiple of the setting: a producer may leave out its calls. */
const LONE_PATIENCE = 4;
/** Turns without any text, reasoning or call, as a multiple of the setting: a producer may leave out texts. */
const EMPTY_PATIENCE = 4;

/** Whether the current turn is over, or brought something so far. */
type Turn = 'over' | 'empty' | 'full';

interface EmptyTurns {
  readonly count: number;
  readonly since: Mark | null;
}
const NO_EMPTY_TURNS: EmptyTurns = { count: 0, since: null };
const NO_RUNS: readonly null[] = PERIODS.map(() => null);

export interface MessageOptions {
  /** Repetitions of a message that make it a loop. */
  readonly threshold: number;
  readonly thresholdOf: ThresholdBase;
  readonly mode: Pattern<'stagnation'>['mode'];
}

/** Consecutive messages that equal the one a period earlier, and where the run started. */
interface Run {
  readonly matched: number;
  /** Whether some are equal only in bulk. */
  readonly alike?: true;
  readonly since: Mark;
}

/**
 * Finds whole messages repeated turn after turn, without a call in between: by one agent, or by two that answer each
 * other. It needs turns, which mark where a message ends.
 */
export class MessageRepeat {
  readonly #options: MessageOptions;
  readonly #incident = new PatternIncident('stagnation');
  /** Text of the current turn; `null` if the turn does more than produce a message. */
  #text: string | null = null;
  #agent = '';
  #begin: Mark | null = null;
  /** The latest messages, newest first. */
  #said: readonly SaidMessage[] = NONE;
  #runs: readonly (Run | null)[] = NONE;
  #phrases = NO_PHRASES;
  #turn: Turn = 'over';
  #emptyTurns = NO_EMPTY_TURNS;

  constructor(options: MessageOptions) {
    this.#options = options;
  }

  push(step: EventStep): void {
    const { event } = step;
    switch (event.type) {
      case 'turn_started':
        this.#settle(step);
        // A turn without an end may have brought what the producer does not report.
        if (this.#turn !== 'over') this.#emptyTurns = NO_EMPTY_TURNS;
        this.#turn = 'empty';
        this.#text = '';
        this.#agent = event.agent ?? '';
        break;
      case 'content':
        if (this.#turn === 'empty' && event.text.trim() !== '') this.#turn = 'full';
        this.#add(step, event.text);
        break;
      case 'thought':
        this.#turn = 'full';
        break;
      case 'turn_finished':
        // Tokens were written, so the text was left out.
        if ((event.usage?.outputTokens ?? 0) > 0) this.#turn = 'full';
        this.#settle(step);
        this.#endTurn(step);
        break;
      case 'session_ended':
        this.#settle(step);
        break;
      case 'tool_call_request':
      case 'tool_result':
        this.#turn = 'full';
        this.#forget();
        this.#incident.resolve(step, 'recovered');
        break;
      case 'prompt_started':
        if (!step.calls?.prompts.startsOver) this.#settle(step);
        break;
      default:
    }
  }

  current(): readonly Finding[] {
    return this.#incident.findings();
  }

  /** Counts the turn that ends, if it is empty. */
  #endTurn(step: EventStep): void {
    const turn = this.#turn;
    this.#turn = 'over';
    if (turn === 'full') this.#emptyTurns = NO_EMPTY_TURNS;
    if (turn !== 'empty') return;
    const since = this.#emptyTurns.since ?? step.mark();
    const count = this.#emptyTurns.count + 1;
    this.#emptyTurns = { count, since };
    const { setting, value } = this.#options.thresholdOf;
    const threshold = EMPTY_PATIENCE * value;
    if (count < threshold) return;
    const wording = sentence`The agent ended ${counted(count)} turns in a row without a text or a call`;
    const thresholdOf: ThresholdBase = { setting, value, adjustments: ['empty-turns'] };
    this.#incident.report(
      step,
      this.#repetition('', { count, threshold, thresholdOf, since, period: 1, wording }),
    );
  }

  #add(step: EventStep, text: string): void {
    if (this.#text === null) return;
    if (this.#text === '') this.#begin = step.mark();
    this.#text = this.#text.length + text.length > MESSAGE_UNITS ? TOO_LONG : this.#text + text;
  }

  #settle(step: EventStep): void {
    const begin = this.#begin;
    const text = this.#text ?? '';
    this.#text = null;
    this.#begin = null;
    const message = text.trim();
    if (begin === null || message === '') return;
    if (text.length > MESSAGE_UNITS) this.#forget();
    else {
      // A producer may write the time in front.
      const said = withoutStamp(message);
      this.#noteMessage(new SaidMessage(begin, this.#agent, said));
      this.#phrases = afterMessage(this.#phrases, this.#agent, said, begin);
    }
    const pattern = this.#pattern(message);
    if (pattern === null) this.#incident.resolve(step, 'recovered', 'another message followed');
    else this.#incident.report(step, pattern);
  }

  #noteMessage(message: SaidMessage): void {
    const runs = PERIODS.map((period, i): Run | null => {
      const before = this.#said[period - 1];
      const sameness = before && message.sameness(before);
      if (before === undefined || sameness === 'different') return null;
      const run = this.#runs[i];
      return {
        matched: (run?.matched ?? 0) + 1,
        ...((run?.alike === true || sameness === 'alike') && { alike: true }),
        since: run?.since ?? before.mark,
      };
    });
    this.#runs = runs.some((run) => run !== null) ? runs : NO_RUNS;
    this.#said = [message, ...this.#said.slice(0, PERIODS.length - 1)];
  }

  #pattern(text: string): Pattern<'stagnation'> | null {
    const { thresholdOf: base } = this.#options;
    for (const [i, period] of this.#runs === NO_RUNS ? [] : PERIODS.entries()) {
      const run = this.#runs[i];
      const count = run ? Math.floor((run.matched + period) / period) : 0;
      const alike = run?.alike === true;
      const threshold = this.#options.threshold + (alike ? MORE_IF_ALIKE : 0);
      if (!run || count < threshold) continue;
      const what = period === 1 ? 'sent the same message' : 'alternated between the same two messages';
      const wording = sentence`The agent ${what}${apartFrom(alike)} ${counted(count)} times in a row without calling a tool`;
      const thresholdOf = alike
        ? { ...base, adjustments: [...(base.adjustments ?? []), 'alike-results' as const] }
        : base;
      return this.#repetition(text, { count, threshold, thresholdOf, since: run.since, period, wording });
    }
    const { score: count, agents, since } = this.#phrases;
    const { setting, value } = base;
    const phraseThreshold = value * (agents.length < 2 ? LONE_PATIENCE : 2);
    if (since === null || count < phraseThreshold) return null;
    const speakers = agents.length < 2 ? 'of the agent' : `between ${String(agents.length)} agents`;
    const wording = sentence`${counted(count)} messages ${speakers} said nothing new, and no tool was called`;
    const thresholdOf: ThresholdBase = { setting, value, adjustments: ['short-answer'] };
    return this.#repetition(text, {
      count,
      threshold: phraseThreshold,
      thresholdOf,
      since,
      period: 1,
      wording,
    });
  }

  #repetition(
    text: string,
    found: {
      readonly count: number;
      readonly threshold: number;
      readonly thresholdOf: ThresholdBase;
      readonly since: Mark;
      readonly period: number;
      readonly wording: Sentence;
    },
  ): Pattern<'stagnation'> {
    const { wording, ...rest } = found;
    return {
      key: 'messages',
      ...rest,
      mode: modeOf(this.#options.mode, found.thresholdOf),
      rounds: [],
      calls: 0,
      ...wording,
      guidance: [
        asSentence(wording.reason.replace(/^The agent /, 'You ')),
        'Repeating it will not help. Do what remains, or stop.',
      ].join('\n'),
      evidence: { rule: 'same-message', repeated: text.slice(0, SHOWN_UNITS) },
    };
  }

  #forget(): void {
    this.#text = null;
    this.#begin = null;
    this.#said = NONE;
    this.#runs = NONE;
    this.#phrases = NO_PHRASES;
    this.#emptyTurns = NO_EMPTY_TURNS;
  }

  close(step: EventStep, outcome: VerdictOutcome): void {
    this.#forget();
    this.#incident.resolve(step, outcome, closingReason(outcome));
  }

  checkpoint(): () => MessageSnapshot {
    const text = this.#text;
    const agent = this.#agent;
    const begin = this.#begin;
    const said = this.#said;
    const runs = this.#runs;
    const phrases = this.#phrases;
    const turn = this.#turn;
    const emptyTurns = this.#emptyTurns;
    const incident = this.#incident.snapshot();
    return () => ({
      text,
      agent,
      begin,
      said: said.map((message) => message.snapshot()),
      runs,
      phrases,
      turn,
      emptyTurns,
      incident,
    });
  }

  restore({ text, agent, begin, said, runs, phrases, turn, emptyTurns, incident }: MessageSnapshot): void {
    this.#text = text;
    this.#agent = agent;
    this.#begin = begin;
    this.#said = said.map((message) => SaidMessage.restored(message));
    this.#runs = runs;
    this.#phrases = phrases;
    this.#turn = turn;
    this.#emptyTurns = emptyTurns;
    this.#incident.restore(incident);
  }
}

export interface MessageSnapshot {
  readonly text: string | null;
  readonly agent: string;
  readonly begin: Mark | null;
  readonly said: readonly SaidSnapshot[];
  readonly runs: readonly (Run | null)[];
  readonly phrases: PhrasesState;
  readonly turn: Turn;
  readonly emptyTurns: EmptyTurns;
  readonly incident: PatternSnapshot<'stagnation'>;
}
