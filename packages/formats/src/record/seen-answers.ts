import { AnswerOrder } from './answer-order.ts';
import { remember } from './remember.ts';

/** An answer of a model that was read. */
export interface SeenAnswer {
  /** Of its first event. */
  readonly id: string;
  readonly callIds: readonly (string | null)[];
  /** Identifies its text, of which a history may have more. */
  readonly text: { readonly units: number; readonly id: string };
}

/** Answers to remember, each by several keys. */
const MAX_ANSWERS = 60_000;

/** Answers of models by what identifies them in histories that were cut, or that name their calls otherwise. */
export class SeenAnswers {
  readonly order = new AnswerOrder<SeenAnswer>();
  readonly #answers = new Map<string, SeenAnswer>();
  /** Keys that several answers have, such as the ids of calls that are numbered in each answer. */
  readonly #shared = new Map<string, true>();

  /** The answer that alone has this key. */
  find(key: string): SeenAnswer | undefined {
    return this.#shared.has(key) ? undefined : this.#answers.get(key);
  }

  has(key: string): boolean {
    return this.#answers.has(key);
  }

  add(key: string, answer: SeenAnswer): void {
    remember(this.#answers, key, answer, MAX_ANSWERS);
  }

  share(key: string): void {
    remember(this.#shared, key, true, MAX_ANSWERS);
  }
}
