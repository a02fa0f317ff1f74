/** Distinct values of a label that a process tells apart; each further one counts as `other`. */
export const MAX_LABEL_VALUES = 20;
const longest = 100;

/** Makes label values of names that producers choose: as many as there may be, whatever they send. */
export class LabelValues {
  private readonly known = new Set<string>();

  /** The name, `unknown` where there is none, or `other` once there are too many. */
  of(name: string | null): string {
    if (name === null || name === '') return 'unknown';
    const value = name.slice(0, longest);
    if (!this.known.has(value) && this.known.size >= MAX_LABEL_VALUES) return 'other';
    this.known.add(value);
    return value;
  }
}
