import { fingerprint } from '../../lib/digest.ts';

/** Number of outcomes stored before they are added to the hash. */
const MAX_KEPT = 64;

/** Hashes of a sequence of steps: of all, and of all before the latest. */
interface StepHashes {
  readonly steps: string;
  readonly stepsBefore: string;
}
const NO_STEPS: StepHashes = { steps: '', stepsBefore: '' };

/** The steps of a prompt as one hash. It is computed on demand, which for most prompts is never. */
export class StepChain {
  #hashed = NO_STEPS;
  /** Outcomes that are not hashed yet. The list is append-only, because a checkpoint may hold it. */
  #kept: string[] = [];

  /** @param regrown whether it replaces the outcome of the latest step */
  add(outcome: string, regrown: boolean): void {
    if (!regrown) this.#kept.push(outcome);
    else if (this.#kept.length > 0) this.#kept = [...this.#kept.slice(0, -1), outcome];
    else this.#hashed = hashesOf({ steps: this.#hashed.stepsBefore, stepsBefore: '' }, [outcome], 1);
    if (this.#kept.length >= MAX_KEPT) this.hashes();
  }

  hashes(): StepHashes {
    this.restore(hashesOf(this.#hashed, this.#kept, this.#kept.length));
    return this.#hashed;
  }

  /** The current hashes, to be computed later. */
  checkpoint(): () => StepHashes {
    const hashed = this.#hashed;
    const kept = this.#kept;
    const { length } = kept;
    return () => hashesOf(hashed, kept, length);
  }

  clear(): void {
    this.restore(NO_STEPS);
  }

  restore(hashed: StepHashes): void {
    this.#hashed = hashed;
    if (this.#kept.length > 0) this.#kept = [];
  }
}

function hashesOf(hashed: StepHashes, outcomes: readonly string[], count: number): StepHashes {
  let { steps, stepsBefore } = hashed;
  for (const outcome of outcomes.slice(0, count)) {
    stepsBefore = steps;
    steps = fingerprint(`${stepsBefore}\n${outcome}`);
  }
  return { steps, stepsBefore };
}
