let count = 0;

/** A name unique on this machine, for topics and groups of a shared broker. */
export function uniqueName(prefix: string): string {
  count += 1;
  return `${prefix}-${process.pid}-${count}`;
}
