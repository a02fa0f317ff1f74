import type { CallStep } from '../../calls/step.ts';

/** The bits of each of a step's digests, and their positions. */
const BITS = 10;
const MASK = 2 ** BITS - 1;
const OUTCOME = 0;
const KEY = BITS;
const ANSWER = 2 * BITS;
/** Set for a step of several calls, whose key and answer have no digest. */
const MANY = 2 ** (3 * BITS);
/** Number of units of a text that its digest depends on, evenly spread. */
const SAMPLES = 12;

/**
 * Small digests of the remembered steps. Most steps differ, and different digests prove it; comparing the steps
 * themselves, which are far apart in memory, takes many times as long. The digests are derived from the steps, so a
 * snapshot does not include them.
 */
export class StepDigests {
  #digests: number[] = [];
  #latest: CallStep | undefined;
  #previous: CallStep | undefined;

  /** Call when a step has settled. */
  follow(rounds: readonly CallStep[]): void {
    const settled = rounds.at(-1);
    const before = rounds.at(-2);
    if (settled === undefined) return;
    if (before === undefined || (before !== this.#latest && before !== this.#previous))
      this.#digests = rounds.map(digestOf);
    else {
      if (before === this.#previous) this.#digests.pop();
      this.#digests.push(digestOf(settled));
      if (this.#digests.length > rounds.length) this.#digests.shift();
    }
    this.#latest = settled;
    this.#previous = before;
  }

  /** Whether the step at an index may have the outcome of the latest step, or the answer to its only call. */
  mayBringTheSame(index: number): boolean {
    return this.#maySame(index, OUTCOME) || this.#maySame(index, ANSWER);
  }

  /** Whether the step at an index may consist of the calls of the latest one. */
  mayBeTheSame(index: number): boolean {
    return ((this.#digests[index] ?? MANY) & MANY) !== 0 || this.#maySame(index, KEY);
  }

  /** Upper bound for the number of steps, including the latest, that contain a call of the latest one. */
  sameCalls(): number {
    if (((this.#digests.at(-1) ?? MANY) & MANY) !== 0) return this.#digests.length;
    return this.#digests.filter((_, index) => this.mayBeTheSame(index)).length;
  }

  #maySame(index: number, shift: number): boolean {
    const latest = this.#digests[this.#digests.length - 1] ?? 0;
    return (((latest ^ (this.#digests[index] ?? 0)) >>> shift) & MASK) === 0;
  }

  clear(): void {
    this.#digests = [];
    this.#latest = undefined;
    this.#previous = undefined;
  }
}

function digestOf({ calls, outcome }: CallStep): number {
  const own = digest(outcome ?? '') << OUTCOME;
  const [call] = calls;
  if (call === undefined || calls.length > 1) return own | MANY;
  return own | (digest(call.key) << KEY) | (digest(call.result?.gist ?? '') << ANSWER);
}

function digest(text: string): number {
  const { length } = text;
  let sum = length;
  for (let i = length - 1; i >= 0; i -= Math.ceil(length / SAMPLES))
    sum = Math.imul(sum, 31) + text.charCodeAt(i);
  return (sum ^ (sum >>> BITS) ^ (sum >>> (2 * BITS))) & MASK;
}
