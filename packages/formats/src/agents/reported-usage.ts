import type { Usage } from '../record/message.ts';
import { remember } from '../record/remember.ts';

/** Sessions to remember. */
const MAX_SESSIONS = 10_000;

interface Sum {
  input: number;
  output: number;
}

/** The usage that the messages of sessions have reported: of each whole session, and since its last total. */
export class ReportedUsage {
  readonly #all = new Map<string, Sum>();
  readonly #latest = new Map<string, Sum>();

  add(sessionId: string, usage: Usage | undefined): void {
    for (const sums of [this.#all, this.#latest])
      remember(sums, sessionId, sumOf(sums.get(sessionId), usage), MAX_SESSIONS);
  }

  /** The output that a total has beyond that of its messages; 0 if their input says that it is not the total of these. */
  missingIn(total: Usage | undefined, sessionId: string, last: Usage | undefined): number {
    const sums = [this.#latest, this.#all].map((one) => sumOf(one.get(sessionId), last));
    const sum = sums.find(({ input }) => input > 0 && input === total?.inputTokens);
    return sum === undefined ? 0 : Math.max(0, (total?.outputTokens ?? 0) - sum.output);
  }

  /** A total was reported. */
  next(sessionId: string): void {
    this.#latest.delete(sessionId);
  }
}

function sumOf(sum: Sum | undefined, usage: Usage | undefined): Sum {
  return {
    input: (sum?.input ?? 0) + (usage?.inputTokens ?? 0),
    output: (sum?.output ?? 0) + (usage?.outputTokens ?? 0),
  };
}
