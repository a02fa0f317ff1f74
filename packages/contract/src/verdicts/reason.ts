/** A reason, and the position of the count in it. */
interface CountedReason {
  readonly reason: string;
  /** In UTF-16 code units; absent if the reason contains no count. */
  readonly countAt?: number | undefined;
}

/** The reason with the current count, which grows after the reason was written. */
export function reasonWithCount({ reason, countAt }: CountedReason, count: number): string {
  if (countAt === undefined) return reason;
  const written = /^\d+/.exec(reason.slice(countAt));
  if (written === null) return reason;
  return `${reason.slice(0, countAt)}${String(count)}${reason.slice(countAt + written[0].length)}`;
}
