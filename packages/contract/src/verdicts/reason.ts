/** A sentence that may say a count, and where it stands. */
interface CountedReason {
  readonly reason: string;
  /** In UTF-16 code units; absent where the sentence says no count. */
  readonly countAt?: number | undefined;
}

/** The sentence with the count as it is now: a loop goes on after the sentence about it was written. */
export function reasonWithCount({ reason, countAt }: CountedReason, count: number): string {
  if (countAt === undefined) return reason;
  const written = /^\d+/.exec(reason.slice(countAt));
  if (written === null) return reason;
  return `${reason.slice(0, countAt)}${String(count)}${reason.slice(countAt + written[0].length)}`;
}
