let count = 0;

/** A name no other test of this machine uses at the same time: topics and groups of a shared broker. */
export function uniqueName(prefix: string): string {
  count += 1;
  return `${prefix}-${process.pid}-${count}`;
}
