let count = 0;

/** A unique name for topics and groups on a broker that tests share. */
export function uniqueName(prefix: string): string {
  count += 1;
  return `${prefix}-${process.pid}-${count}`;
}
