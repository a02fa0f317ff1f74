import type { VerdictOutcome } from '@loopwatch/contract';
import type { Mark } from '../../calls/mark.ts';
import type { Account, Detector, EventStep, Finding, IncidentSnapshot } from '../../incident/finding.ts';
import { Incident } from '../../incident/incident.ts';
import { closingReason, counted, sentence } from '../../incident/shown-calls.ts';
import { type LineSnapshot, LineStructure, RESTART, TRACK } from '../../text/line-structure.ts';
import type { RepeatListener, TextIndex } from '../../text/text-index.ts';
import type { TextRepeatOptions } from './options.ts';
import { repeatedText, repetitionReason, textGuidance } from './wording.ts';

/** A mark is stored every this many units of tracked text, which is the precision of a loop's start. */
const MARK_EVERY = 128;
/** Units before the deciding unit that the evidence shows. */
const EXCERPT_UNITS = 1500;
const LINE_BREAK = '\n';
/** Shared empty list. */
const NONE: readonly never[] = [];

type TextDetector = 'content-repeat' | 'thought-repeat';

interface Gap {
  readonly at: number;
  readonly units: number;
}

/** A unit at which the text repeated. */
interface Repetition {
  /** Its offset in the session's text. */
  readonly at: number;
  /** Its number in the tracked text. */
  readonly unit: number;
}

/** Finds repeated text in one stream of a session, its answer or its reasoning. */
export class TextRepeat implements Detector, RepeatListener {
  readonly #options: TextRepeatOptions;
  readonly #structure = new LineStructure();
  readonly #index: TextIndex;
  #incident: Incident<TextDetector> | undefined;
  /** Occurrences at which the open incident, or the latest one, was found. */
  #firedAt = 0;
  /** Where the text of the open incident repeated last. */
  #latestAt = 0;
  #latestUnit = 0;
  /** Marks at the latest multiples of {@link MARK_EVERY} units of tracked text, oldest first. */
  #marks: Mark[] = [];
  #nextMarkAt = 0;
  /** Number in the tracked text of the first unit of the text being appended. */
  #appended = 0;
  /** Offset in the session's text of the event being read; between events, of the next text. */
  #offset = 0;
  /** Positions in the tracked text from which retracted text is missing. */
  #gaps: readonly Gap[] = NONE;
  /** The event being read. */
  #step: EventStep | undefined;

  constructor(options: TextRepeatOptions) {
    this.#options = options;
    this.#index = options.createIndex();
  }

  push(step: EventStep): void {
    const { event } = step;
    switch (event.type) {
      case 'tool_call_request':
        this.#restart(step, 'recovered', 'a tool call followed', this.#offsetOf(step));
        this.#structure.startLine();
        break;
      case 'prompt_started':
        this.close(step, 'ended');
        break;
      case 'turn_started':
        this.#structure.startLine();
        break;
      case 'content':
      case 'thought':
        if (event.type === this.#options.stream) this.#read(step, event.text);
        break;
      default:
    }
  }

  close(step: EventStep, outcome: VerdictOutcome): void {
    this.#restart(step, outcome, closingReason(outcome), this.#offsetOf(step));
    this.#structure.startLine();
  }

  /** Passes text to the index in chunks as long as possible, but reads the beginning of each line unit by unit. */
  #read(step: EventStep, text: string): void {
    this.#step = step;
    this.#noteGap(this.#offsetOf(step));
    const structure = this.#structure;
    /** Everything before it has been tracked or skipped. */
    let start = 0;
    for (let i = 0; i < text.length; ) {
      const { inBody } = structure;
      if (inBody || structure.inSkippedLine) {
        const lineBreak = text.indexOf(LINE_BREAK, i);
        const end = lineBreak === -1 ? text.length : lineBreak + 1;
        if (!inBody) start = this.#skip(text, start, i, end);
        if (lineBreak !== -1) structure.endLine();
        i = end;
      } else {
        const kind = structure.step(text.charCodeAt(i));
        if (kind === RESTART) start = this.#meetStructure(step, text, start, i);
        else if (kind !== TRACK) start = this.#skip(text, start, i, i + 1);
        i += 1;
      }
    }
    this.#track(text, start, text.length);
    this.#offset += text.length;
    this.#step = undefined;
  }

  /** The unit `i` completes a structure marker. @returns the first unit that remains to be tracked */
  #meetStructure(step: EventStep, text: string, start: number, i: number): number {
    this.#track(text, start, i);
    if (this.#index.passesMarker(this.#structure.inFence)) return i;
    this.#restart(step, 'recovered', 'a new list, table or code block started', this.#offset + i);
    return i + 1;
  }

  /**
   * Processes code or a divider, from `from` to `to`: neither is prose, but both may repeat endlessly, too.
   *
   * @returns the first unit that remains to be tracked
   */
  #skip(text: string, start: number, from: number, to: number): number {
    const index = this.#index;
    this.#track(text, start, from);
    if (index.takesIn(this.#structure.inFence)) {
      this.#track(text, from, to);
      index.takesIn(false);
    }
    return to;
  }

  #track(text: string, from: number, to: number): void {
    let start = from;
    while (start < to) {
      if (this.#index.length === this.#nextMarkAt) this.#mark();
      const end = Math.min(to, start + this.#nextMarkAt - this.#index.length);
      this.#appended = this.#index.length - start;
      this.#index.append(text, start, end, this);
      start = end;
    }
  }

  #mark(): void {
    if (this.#step === undefined) return;
    const { window, threshold, maxDistance } = this.#options;
    const most = Math.floor((threshold * maxDistance + window) / MARK_EVERY) + 2;
    if (this.#marks.push(this.#step.mark()) > most) this.#marks.shift();
    this.#nextMarkAt += MARK_EVERY;
  }

  onRepeat(i: number, count: number): void {
    const step = this.#step;
    if (step === undefined) return;
    if (this.#incident === undefined) {
      this.#incident = new Incident(this.#options.mode, this.#options.threshold, this.#beginning(step));
      this.#firedAt = count;
    }
    this.#latestAt = this.#offset + i;
    this.#latestUnit = this.#appended + i;
    this.#incident.report(step, count, () => this.#account(count, this.#latest, 0));
  }

  onQuiet(i: number): void {
    if (this.#step !== undefined)
      this.#resolve(this.#step, 'recovered', 'other text followed', this.#offset + i);
  }

  #restart(step: EventStep, outcome: VerdictOutcome, why: string, at: number): void {
    this.#resolve(step, outcome, why, at);
    this.#index.restart();
    this.#marks.length = 0;
    this.#gaps = NONE;
    this.#nextMarkAt = 0;
  }

  #resolve(step: EventStep, outcome: VerdictOutcome, why: string, at: number): void {
    const incident = this.#incident;
    if (incident === undefined) return;
    this.#incident = undefined;
    const wording = sentence`A passage appeared ${counted(incident.count)} times in the ${this.#noun}`;
    const latest = { at, unit: this.#index.length - 1 };
    const account = { ...this.#account(incident.count, latest, 0), ...wording, evidence: { at } };
    step.emit(incident.resolution(account, outcome, why));
  }

  /** The mark at or before the first unit of the oldest counted occurrence. */
  #beginning(step: EventStep): Mark {
    const { length, since } = this.#index;
    const sinceNewest = length - (this.#nextMarkAt - MARK_EVERY);
    const earlier = Math.max(0, Math.ceil((since - sinceNewest) / MARK_EVERY));
    return this.#marks[Math.max(0, this.#marks.length - 1 - earlier)] ?? step.mark();
  }

  /** Offset in the session's text of the next unit. */
  #offsetOf({ contentOffset, thoughtOffset }: EventStep): number {
    return this.#options.stream === 'content' ? contentOffset : thoughtOffset;
  }

  /** Records retracted text between the tracked text and the next unit: it counts for offsets, not for distances. */
  #noteGap(offset: number): void {
    const { length } = this.#index;
    const units = offset - this.#offset;
    this.#offset = offset;
    if (length === 0 || units === 0) return;
    const { window, threshold, maxDistance } = this.#options;
    const reachable = this.#gaps.filter(({ at }) => length - at < threshold * maxDistance + window);
    this.#gaps = [...reachable, { at: length, units }];
  }

  /** Offset in the session's text of the tracked unit `back` units before the given one. */
  #offsetBack({ at, unit }: Repetition, back: number): number {
    return this.#gaps.reduce(
      (offset, gap) => (unit - back < gap.at && gap.at <= unit ? offset - gap.units : offset),
      at - back,
    );
  }

  get #latest(): Repetition {
    return { at: this.#latestAt, unit: this.#latestUnit };
  }

  get #noun(): string {
    return this.#options.stream === 'content' ? 'answer' : 'reasoning';
  }

  /**
   * Describes the loop as of a unit.
   *
   * @param after tracked units that follow it
   */
  #account(count: number, latest: Repetition, after: number): Account<TextDetector> {
    const { window, threshold: value } = this.#options;
    const { rule } = this.#index;
    const { at } = latest;
    const distances = this.#index.distances(after);
    // Only equal windows are counted against the setting; the other rules measure text without new content.
    const threshold = rule === null ? value : this.#firedAt || value;
    const farthest = distances.at(-1) ?? 0;
    const period = distances[0] ?? 0;
    const distance = Math.round((farthest / Math.max(distances.length, 1)) * 10) / 10;
    const excerpt = this.#index.tail(Math.max(EXCERPT_UNITS, 2 * period), after);
    const repeated = repeatedText(rule, excerpt, Math.max(period, 1));
    return {
      detector: this.#options.stream === 'content' ? 'content-repeat' : 'thought-repeat',
      threshold,
      thresholdOf: {
        setting: `${this.#options.stream}_loop.min_repeats`,
        value,
        adjustments: threshold === value ? [] : ['repeated-length'],
      },
      ...repetitionReason(rule, repeated, count, distance, this.#noun),
      guidance: textGuidance(repeated, count, this.#noun),
      evidence: {
        at,
        ...(rule !== null && { rule }),
        window: { length: window, text: excerpt.slice(-window) },
        distance,
        // A passage may contain its own window more often than it is counted.
        positions: [...distances.slice(0, count - 1).toReversed(), 0].map((back) =>
          this.#offsetBack(latest, back + window - 1),
        ),
        repeated,
        excerpt: { from: this.#offsetBack(latest, excerpt.length - 1), text: excerpt },
      },
      at,
    };
  }

  /** Text that has followed since the latest repetition does not count. */
  current(): readonly Finding[] {
    const incident = this.#incident;
    if (incident === undefined) return NONE;
    const after = this.#index.length - 1 - this.#latestUnit;
    if (this.#index.tail(1, after) === '') return NONE;
    return [incident.finding('escalated', this.#account(incident.count, this.#latest, after))];
  }

  snapshot(): TextSnapshot {
    const { length } = this.#index;
    return {
      structure: this.#structure.snapshot(),
      index: this.#index.snapshot(),
      incident: this.#incident?.snapshot(),
      firedAt: this.#firedAt,
      ...(this.#incident && { latest: { at: this.#latestAt, back: length - this.#latestUnit } }),
      marks: [...this.#marks],
      nextMarkIn: this.#nextMarkAt - length,
      gaps: this.#gaps.map(({ at, units }) => ({ back: length - at, units })),
      offset: this.#offset,
    };
  }

  restore(snapshot: TextSnapshot): void {
    this.#structure.restore(snapshot.structure);
    this.#index.restore(snapshot.index);
    const { length } = this.#index;
    this.#incident = snapshot.incident && Incident.restore(snapshot.incident);
    this.#firedAt = snapshot.firedAt ?? 0;
    this.#latestAt = snapshot.latest?.at ?? snapshot.offset - 1;
    this.#latestUnit = length - (snapshot.latest?.back ?? 1);
    this.#marks = [...snapshot.marks];
    this.#nextMarkAt = length + snapshot.nextMarkIn;
    this.#gaps = snapshot.gaps.map(({ back, units }) => ({ at: length - back, units }));
    this.#offset = snapshot.offset;
  }
}

export interface TextSnapshot {
  readonly structure: LineSnapshot;
  readonly index: object;
  readonly incident: IncidentSnapshot | undefined;
  readonly firedAt?: number;
  /** Absent without an open incident, and in snapshots of earlier versions. */
  readonly latest?: { readonly at: number; readonly back: number };
  readonly marks: readonly Mark[];
  readonly nextMarkIn: number;
  readonly gaps: readonly { readonly back: number; readonly units: number }[];
  readonly offset: number;
}
