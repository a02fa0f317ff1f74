import type { VerdictOutcome } from '@loopwatch/contract';
import type { Mark } from '../../calls/mark.ts';
import { apartFrom, modeOf } from '../../incident/alike-results.ts';
import type { EventStep, Finding, Pattern, PatternSnapshot, ThresholdBase } from '../../incident/finding.ts';
import { PatternIncident } from '../../incident/pattern-incident.ts';
import { asSentence, closingReason, counted, sentence } from '../../incident/shown-calls.ts';
import { fingerprint } from '../../lib/digest.ts';
import { withoutStamp } from '../../results/leading-stamp.ts';
import { normalizeText } from '../../results/lex-result.ts';
import {
  afterMessage,
  afterQuestion,
  type MessageSeries,
  NO_MESSAGES,
  type RepeatedMessages,
  repeatedIn,
} from './message-series.ts';

/** Longer messages repeat enough text for content-repeat to find them. */
const MESSAGE_UNITS = 2048;
/** Placeholder for a longer message, whose text is not stored. */
const TOO_LONG = '.'.repeat(MESSAGE_UNITS + 1);
/** Units of the message that the evidence shows. */
const SHOWN_UNITS = 400;
/** Turns without any text, reasoning or call, as a multiple of the setting: a producer may leave out texts. */
const EMPTY_PATIENCE = 4;

/** A text of the current turn, and where it began. */
interface Draft {
  readonly text: string;
  readonly begin: Mark | null;
}
const NO_DRAFT: Draft = { text: '', begin: null };

/** What the turns before the current one brought. */
interface Before {
  readonly message: MessageSeries;
  /** Thoughts of turns that brought nothing else, which are empty if they brought nothing at all. */
  readonly thought: MessageSeries;
  /** The latest prompt that did not start over. */
  readonly prompt: string;
}
const NOTHING_BEFORE: Before = {
  message: NO_MESSAGES,
  thought: NO_MESSAGES,
  prompt: '',
};

export interface MessageOptions {
  /** Repetitions of a message that make it a loop. */
  readonly threshold: number;
  readonly thresholdOf: ThresholdBase;
  readonly mode: Pattern<'stagnation'>['mode'];
}

/**
 * Finds whole messages repeated turn after turn, without a call in between, by one agent or by several that answer each
 * other; and turns that repeat nothing but a thought. It needs turns, which mark where a message ends.
 */
export class MessageRepeat {
  readonly #options: MessageOptions;
  readonly #incident = new PatternIncident('stagnation');
  /** Text of the current turn; `null` if the turn is over, or does more than produce a message. */
  #text: Draft | null = null;
  #thought = NO_DRAFT;
  #agent = '';
  #before = NOTHING_BEFORE;

  constructor(options: MessageOptions) {
    this.#options = options;
  }

  push(step: EventStep): void {
    const { event } = step;
    switch (event.type) {
      case 'turn_started':
        this.#settle(step);
        this.#text = NO_DRAFT;
        this.#agent = event.agent ?? '';
        break;
      case 'content':
        if (this.#text !== null) this.#text = extended(this.#text, event.text, step);
        break;
      case 'thought':
        if (this.#text !== null) this.#thought = extended(this.#thought, event.text, step);
        break;
      case 'turn_finished':
        this.#settle(step, event.usage?.outputTokens ?? 0);
        break;
      case 'session_ended':
        this.#settle(step);
        break;
      case 'tool_call_request':
      case 'tool_result':
        this.#forget();
        this.#incident.resolve(step, 'recovered');
        break;
      case 'prompt_started':
        if (!step.calls?.prompts.startsOver) this.#onPrompt(step, event.text ?? '');
        break;
      default:
    }
  }

  current(): readonly Finding[] {
    return this.#incident.findings();
  }

  /**
   * A harness repeats its prompt. If the answer is always the same, that is its loop.
   *
   * @param isReported whether that has been reported
   */
  leaveToHarness(step: EventStep, isReported: boolean): void {
    const { message, thought } = this.#before;
    if (isReported) this.close(step, 'ended');
    else if (!this.#incident.isOpen)
      this.#note({ message: afterQuestion(message, false), thought: afterQuestion(thought, false) });
  }

  #note(change: Partial<Before>): void {
    this.#before = { ...this.#before, ...change };
  }

  #onPrompt(step: EventStep, text: string): void {
    this.#settle(step);
    const { message, prompt: latest } = this.#before;
    const prompt = fingerprint(normalizeText(text));
    this.#note({
      message: prompt === latest ? message : afterQuestion(message, true),
      prompt,
    });
  }

  /** @param tokens how many the turn has written, if it ends */
  #settle(step: EventStep, tokens?: number): void {
    const draft = this.#text;
    if (draft === null) return;
    const kind = draft.text.trim() === '' ? 'thought' : 'message';
    const isSaid = kind === 'message';
    const { text, begin } = isSaid ? draft : this.#thought;
    const said = text.trim();
    this.#text = null;
    this.#thought = NO_DRAFT;
    if (said === '' && tokens === undefined) return;
    const before = this.#before;
    // Tokens without a text: it was left out.
    const isUnknown = text.length > MESSAGE_UNITS || (said === '' && tokens !== 0);
    const series = isUnknown
      ? NO_MESSAGES
      : // A producer may write the time in front.
        afterMessage(before[kind], {
          mark: begin ?? step.mark(),
          agent: this.#agent,
          text: withoutStamp(said),
        });
    this.#note({ ...(isSaid && { thought: NO_MESSAGES }), [kind]: series });
    const pattern = this.#pattern(series, said, kind);
    if (pattern !== null) this.#incident.report(step, pattern);
    // Messages go on across turns without one.
    else if (isSaid || before.message.runs.length === 0)
      this.#incident.resolve(step, 'recovered', 'another message followed');
  }

  #pattern(series: MessageSeries, text: string, kind: 'message' | 'thought'): Pattern<'stagnation'> | null {
    const { threshold, thresholdOf: base, mode } = this.#options;
    const { setting, value, adjustments = [] } = base;
    const isEmpty = text === '';
    const found = repeatedIn(series, isEmpty ? EMPTY_PATIENCE * value : threshold, value);
    if (found === null) return null;
    const { alike, speakers } = found;
    const own = isEmpty ? ('empty-turns' as const) : speakers > 0 && ('short-answer' as const);
    const more = alike ? [...adjustments, 'alike-results' as const] : adjustments;
    const thresholdOf: ThresholdBase = { setting, value, adjustments: own ? [own] : more };
    const did = isEmpty ? 'ended its turn without a text' : didRepeat(found, kind);
    const wording = sentence`The agent ${did} ${counted(found.count)} times in a row without calling a tool`;
    return {
      key: 'messages',
      ...found,
      thresholdOf,
      mode: modeOf(mode, thresholdOf),
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
    this.#thought = NO_DRAFT;
    this.#before = NOTHING_BEFORE;
  }

  close(step: EventStep, outcome: VerdictOutcome): void {
    this.#forget();
    this.#incident.resolve(step, outcome, closingReason(outcome));
  }

  checkpoint(): () => MessageSnapshot {
    const text = this.#text;
    const thought = this.#thought;
    const agent = this.#agent;
    const before = this.#before;
    const incident = this.#incident.snapshot();
    return () => ({ text, thought, agent, before, incident });
  }

  restore({ text, thought, agent, before, incident }: MessageSnapshot): void {
    this.#incident.restore(incident);
    // Earlier versions stored something else: their messages do not count any more.
    if (before === undefined) return;
    this.#text = text;
    this.#thought = thought;
    this.#agent = agent;
    this.#before = before;
  }
}

function extended({ text, begin }: Draft, more: string, step: EventStep): Draft {
  return {
    text: text.length + more.length > MESSAGE_UNITS ? TOO_LONG : text + more,
    begin: text === '' ? step.mark() : begin,
  };
}

function didRepeat({ period, alike, near, speakers }: RepeatedMessages, kind: string): string {
  if (speakers > 0) return 'said nothing new';
  if (period > 1) return `alternated between the same ${String(period)} ${kind}s${apartFrom(alike)}`;
  return `${kind === 'message' ? 'sent' : 'had'} ${near ? 'nearly ' : ''}the same ${kind}${apartFrom(alike)}`;
}

export interface MessageSnapshot {
  readonly text: Draft | null;
  readonly thought: Draft;
  readonly agent: string;
  /** Absent in snapshots of earlier versions. */
  readonly before?: Before;
  readonly incident: PatternSnapshot<'stagnation'>;
}
