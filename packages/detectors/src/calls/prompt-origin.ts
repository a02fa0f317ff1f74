import type { KnownEvent } from '@loopwatch/contract';
import type { AgentKnowledge } from '../agents/agent-knowledge.ts';
import { normalizeText } from '../results/lex-result.ts';
import { wasDenied } from '../results/result-kind.ts';
import { REJECTS_ANSWER, rejects } from './rejections.ts';

/** A person needs longer than this to read an answer and write a prompt. */
const QUICK_MS = 10_000;
/** A harness prompt after a longer pause is a scheduled check, which starts over like a person's prompt. */
const SCHEDULED_MS = 600_000;
/** So is one after a longer pause than this, and of this many times what the agent took for its work before. */
const IDLE_MS = 60_000;
const IDLE_FACTOR = 3;
/** Compared units of a prompt. */
const COMPARED_UNITS = 2048;
/**
 * Who wrote a prompt. `quick`: it follows sooner than a person could have written it, which by itself proves nothing,
 * because people paste and queue prompts.
 */
export type PromptAuthor = 'person' | 'harness' | 'quick';

/**
 * Tells the prompts of a person from those of the program that runs the agent: reminders, format errors, stop hooks,
 * nudges to continue. Only a person's prompt starts over; what a harness adds ends no run of calls.
 */
export class PromptOrigin {
  /** Author of the prompt that the latest event starts; `null` if it starts none. */
  author: PromptAuthor | null = null;
  /** Whether the latest event is a prompt after which earlier calls no longer count. */
  startsOver = false;
  readonly #agents: AgentKnowledge;
  readonly #hasFailedSince: (time: number) => boolean;
  #firstTime: number | undefined;
  #lastTime = 0;
  /** Whether the latest event was the result of a call that ran, to which the model has not responded yet. */
  #afterResult = false;
  #prompt = '';
  /** Time of the latest prompt. */
  #promptTime: number | undefined;

  /** @param hasFailedSince whether a call that was made since a time has failed */
  constructor(agents: AgentKnowledge, hasFailedSince: (time: number) => boolean) {
    this.#agents = agents;
    this.#hasFailedSince = hasFailedSince;
  }

  push(event: KnownEvent, time: number): void {
    this.#firstTime ??= time;
    this.author = null;
    this.startsOver = false;
    if (event.type === 'prompt_started') this.#onPrompt(event, time);
    if (event.type === 'tool_result') this.#afterResult = !wasDenied(event);
    else if (event.type !== 'turn_finished') this.#afterResult = false;
    // Files do not say when a turn ended; readers learn of it from what comes next.
    if (event.type !== 'turn_finished') this.#lastTime = time;
  }

  /** Whether the times of events differ. */
  get isTimed(): boolean {
    return this.#lastTime > (this.#firstTime ?? this.#lastTime);
  }

  #onPrompt(event: Extract<KnownEvent, { type: 'prompt_started' }>, time: number): void {
    const prompt = (event.text ?? '').trim().slice(0, COMPARED_UNITS);
    this.author = this.#authorOf(prompt, event.origin ?? null, time);
    const isRepeated = this.author === 'quick' && isSameText(prompt, this.#prompt);
    this.startsOver = this.author !== 'harness' && !isRepeated;
    this.#prompt = prompt;
    this.#promptTime = time;
  }

  #authorOf(prompt: string, origin: 'user' | 'harness' | null, time: number): PromptAuthor {
    const pause = time - this.#lastTime;
    if (pause > SCHEDULED_MS) return 'person';
    if (this.#agents.isHarnessPrompt(prompt)) return 'harness';
    if (origin === 'harness') return this.#isScheduled(prompt, pause) ? 'person' : 'harness';
    // If all times are equal, they carry no information.
    if (origin === 'user' || pause > QUICK_MS || !this.isTimed) return 'person';
    // Results go back to the model at once, so what is sent beside them was not written by a person.
    return this.#afterResult ? 'harness' : 'quick';
  }

  /** A program that tries again what has failed, or that rejects an answer, may wait before as well. */
  #isScheduled(prompt: string, pause: number): boolean {
    const since = this.#promptTime ?? this.#lastTime;
    if (pause <= IDLE_MS || pause < IDLE_FACTOR * (this.#lastTime - since)) return false;
    return !rejects(prompt) && !REJECTS_ANSWER.test(prompt) && !this.#hasFailedSince(since);
  }

  snapshot(): PromptOriginSnapshot {
    return {
      firstTime: this.#firstTime,
      lastTime: this.#lastTime,
      afterResult: this.#afterResult,
      prompt: this.#prompt,
      promptTime: this.#promptTime,
      startsOver: this.startsOver,
    };
  }

  restore(snapshot: PromptOriginSnapshot | undefined): void {
    if (!snapshot) return;
    this.#firstTime = snapshot.firstTime;
    this.#lastTime = snapshot.lastTime;
    this.#afterResult = snapshot.afterResult;
    this.#prompt = snapshot.prompt;
    this.#promptTime = snapshot.promptTime;
    this.startsOver = snapshot.startsOver;
  }
}

function isSameText(a: string, b: string): boolean {
  return a === b || normalizeText(a) === normalizeText(b);
}

export interface PromptOriginSnapshot {
  readonly firstTime: number | undefined;
  readonly lastTime: number;
  readonly afterResult: boolean;
  readonly prompt: string;
  readonly promptTime?: number | undefined;
  readonly startsOver: boolean;
}
